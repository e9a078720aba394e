# Table 6: the configuration that all frameworks share, the paper beside each scale here.

takes <- c(terasort = "cells", parameters = "parameters")

draw <- function(tables) {
  parameters <- tables$parameters
  row <- function(name, paper, key, unit = "") c(name, paper, scale_cells(parameters, key, unit))
  rows <- rbind(
    row("Mappers per node", "7", "mappers_per_node"),
    row("Reducers per node", "7", "reducers_per_node"),
    row("Java heap size", "3 GB", "heap_mb", " MB"),
    row("HDFS block size", "128 MB", "block_size_mb", " MB"),
    row("Replication factor", "3", "replication")
  )
  x <- scale_columns(parameters, 34, 102)
  table_figure(rows, c("parameter", "paper", scale_header(parameters)), c(0, 70, x),
    c(FALSE, rep(TRUE, length(x) + 1)), data.frame(from = c(52, x[1] - 26), to = c(72, 172),
      text = c("there", "here, at each scale")),
    "MB here are 2^20 bytes. With two workers HDFS holds two replicas, whatever the factor.",
    terasort_size_text(tables$terasort, "50"),
    lines = 2)
}
