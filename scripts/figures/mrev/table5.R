# Table 5: the evaluated frameworks and their configuration, the paper beside each scale here.

takes <- c(terasort = "cells", parameters = "parameters")

draw <- function(tables) {
  runs <- tables$terasort
  parameters <- tables$parameters
  row <- function(name, paper, key, unit = "") c(name, paper, scale_cells(parameters, key, unit))
  done <- unique(runs$framework[runs$status %in% "ok"])
  rows <- rbind(
    row("Mappers per node", "7", "mappers_per_node"),
    row("Reducers per node", "7", "reducers_per_node"),
    row("Java heap size", "3 GB", "heap_mb", " MB"),
    row("HDFS block size", "128 MB", "block_size_mb", " MB"),
    row("HDFS replication factor", "3", "replication"),
    row("TeraSort", "128 GB", "terasort.data_mb", " MB")
  )
  x <- scale_columns(parameters, 34, 102)
  table_figure(rows, c("parameter", "paper", scale_header(parameters)), c(0, 70, x),
    c(FALSE, rep(TRUE, length(x) + 1)), data.frame(from = c(52, x[1] - 26), to = c(72, 172),
      text = c("there", "here, at each scale")),
    "Paper: Hadoop-2.5.1-GBE, -IPoIB and -UDA, RDMA-Hadoop-0.9.9, DataMPI-0.6.0-HDFS-GBE.",
    paste0("Run here: ", if (length(done)) and_text(label_of(levels(series_factor(done)))) else "none", "."),
    "All frameworks of a cluster have the same configuration. MB are 2^20 bytes.", missing_text(runs))
}
