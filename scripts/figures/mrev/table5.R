# Table 5: the evaluated frameworks and their configuration, the paper beside each scale here.

takes <- c(terasort = "cells")

draw <- function(tables) {
  runs <- tables$terasort
  value <- function(name, unit = "") {
    paste0(scale_values(here, function(cells, scale) cells$parameters[[name]]), unit)
  }
  size <- scale_values(here, function(cells, scale) {
    own <- scale$mrev$benchmarks$terasort$data_mb
    if (is.null(own)) cells$benchmarks$terasort$data_mb else own
  })
  done <- unique(runs$framework[runs$status %in% "ok"])
  rows <- rbind(
    c("Mappers per node", "7", value("mappers_per_node")),
    c("Reducers per node", "7", value("reducers_per_node")),
    c("Java heap size", "3 GB", value("heap_mb", " MB")),
    c("HDFS block size", "128 MB", value("block_size_mb", " MB")),
    c("HDFS replication factor", "3", value("replication")),
    c("TeraSort", "128 GB", paste(size, "MB"))
  )
  table_figure(rows, c("parameter", "paper", "smoke", "laptop", "paper scale"), c(0, 70, 104, 138, 172),
    c(FALSE, TRUE, TRUE, TRUE, TRUE), data.frame(from = c(52, 78), to = c(72, 172), text = c("there",
      "here, at each scale")),
    "Paper: Hadoop-2.5.1-GBE, -IPoIB and -UDA, RDMA-Hadoop-0.9.9, DataMPI-0.6.0-HDFS-GBE.",
    paste0("Run here: ", if (length(done)) and_text(label_of(levels(series_factor(done)))) else "none", "."),
    "All frameworks of a cluster have the same configuration. MB are 2^20 bytes.", missing_text(runs))
}
