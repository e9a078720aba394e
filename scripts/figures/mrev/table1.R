# Table 1: the parameters of an evaluation, the paper beside the keys here and their values at each scale.

takes <- c(parameters = "parameters")

draw <- function(tables) {
  parameters <- tables$parameters
  row <- function(paper, key, ...) c(paper, sub(".", ": ", key, fixed = TRUE), scale_cells(parameters, key, ...))
  planned <- function(values) paste(length(values), "planned")
  rows <- rbind(
    row("Mappers per node", "mappers_per_node"),
    row("Reducers per node", "reducers_per_node"),
    row("Java heap size", "heap_mb"),
    row("HDFS block size", "block_size_mb"),
    row("HDFS replication factor", "replication"),
    row("SSD optimization\u1d43", "disk"),
    row("Benchmarks", "benchmark", show = planned),
    row("Cluster sizes", "nodes"),
    row("Frameworks", "framework", show = planned),
    row("Number of executions", "repetitions"),
    row("TestDFSIO: #files", "dfsio-write.files"),
    row("TestDFSIO: file size", "dfsio-write.file_mb"),
    row("Wordcount: data size", "wordcount.data_mb"),
    row("Sort/TeraSort: data size", "sort.data_mb"),
    row("", "terasort.data_mb"),
    row("PageRank: iterations", "pagerank.iterations")
  )
  x <- scale_columns(parameters, 30, 90)
  table_figure(rows, c("paper", "key here", scale_header(parameters)), c(0, 48, x),
    c(FALSE, FALSE, rep(TRUE, length(x))), data.frame(from = c(0, x[1] - 20), to = c(86, 172),
      text = c("parameter", "value at each scale (config/scales)")),
    "Rows 1 to 6 depend on the system, 7 to 10 on the experiment, the others on the benchmark. MB are 2^20 bytes.",
    "Values are those of this study: planned is what it would run at a scale, wherever it can.",
    "\u1d43 in the paper available only in RDMA-Hadoop; here the disk is a factor of every framework.")
}
