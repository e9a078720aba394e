# Table 6: the configuration that all frameworks share, the paper beside each scale here.

takes <- c(terasort = "cells")

draw <- function(tables) {
  value <- function(name, unit = "") {
    paste0(scale_values(here, function(cells, scale) cells$parameters[[name]]), unit)
  }
  rows <- rbind(
    c("Mappers per node", "7", value("mappers_per_node")),
    c("Reducers per node", "7", value("reducers_per_node")),
    c("Java heap size", "3 GB", value("heap_mb", " MB")),
    c("HDFS block size", "128 MB", value("block_size_mb", " MB")),
    c("Replication factor", "3", value("replication"))
  )
  table_figure(rows, c("parameter", "paper", "smoke", "laptop", "paper scale"), c(0, 70, 104, 138, 172),
    c(FALSE, TRUE, TRUE, TRUE, TRUE), data.frame(from = c(52, 78), to = c(72, 172), text = c("there",
      "here, at each scale")),
    "MB here are 2^20 bytes. With two workers HDFS holds two replicas, whatever the factor.",
      terasort_size_text(tables$terasort, "50"),
    lines = 2)
}
