# The configuration of Hadoop, the slides beside each scale here.

takes <- c(spill = "sized", parameters = "parameters")

draw <- function(tables) {
  parameters <- tables$parameters
  row <- function(name, slides, key, unit = "", show = value_text) {
    c(name, slides, scale_cells(parameters, key, unit, show))
  }
  disks <- function(values) paste(all_disks[intersect(names(all_disks), values)], collapse = ", ")
  rows <- rbind(
    row("HDFS block size", "256 MB", "block_size_mb", " MB"),
    row("Sort buffer of a map task", "\u2013", "io_sort_mb", " MB"),
    row("HDFS and intermediate data", "SSD", "disk", show = disks),
    row("Map tasks at once on a node", "12\u1d43", "mappers_per_node"),
    row("Reduce tasks at once on a node", "12\u1d43", "reducers_per_node"),
    row("Java heap of a task", "\u2013", "heap_mb", " MB"),
    row("HDFS replication", "\u2013", "replication"),
    row("Sort", "20 GB", "sort.data_mb", " MB"),
    row("TeraSort", "20 GB", "terasort.data_mb", " MB"),
    row("Nodes, the master among them", "9", "nodes")
  )
  x <- scale_columns(parameters, 34, 96)
  table_figure(rows, c("parameter", "slides", scale_header(parameters)), c(0, 72, x),
    c(FALSE, rep(TRUE, length(x) + 1)), data.frame(from = c(54, x[1] - 26), to = c(74, 172),
      text = c("there", "here, at each scale")),
    "\u1d43 12 YARN containers a node, of either kind. Hadoop\u2019s own default of the sort buffer is 100 MB; here it",
    "is to a block about as that is to 256 MB, so that map tasks spill as often. MB here are 2^20 bytes.",
    nvm_text(tables$spill))
}
