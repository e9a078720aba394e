# Table 2: the benchmarks of the evaluation and the runs of each that ended with a right output.

takes <- c(dfsio = "cells", wordcount = "cells", terasort = "cells", pagerank = "cells")

draw <- function(tables) {
  n <- function(runs, which) {
    rows <- unique(runs[runs$status %in% "ok" & grepl(which, runs$framework), c("point", "rep")])
    if (nrow(rows)) paste(nrow(rows)) else "\u2013"
  }
  row <- function(name, what, runs) c(name, what, n(runs, "^(hadoop|rdma|homr)"), n(runs, "^engine"))
  rows <- rbind(
    row("TestDFSIO", "Throughput of HDFS, many tasks read and write at once", tables$dfsio),
    row("Wordcount", "Counts each word of a text made by RandomTextWriter", tables$wordcount),
    row("TeraSort", "Sorts records of 100 bytes (key 10, value 90) made by TeraGen", tables$terasort),
    row("PageRank", "Ranks pages by their links; here own jobs instead of Pegasus 2.0", tables$pagerank)
  )
  table_figure(rows, c("benchmark", "what it does", "Hadoop", "engine"), c(0, 28, 148, 170),
    c(FALSE, FALSE, TRUE, TRUE),
    data.frame(from = c(0, 132), to = c(126, 172), text = c("paper", "valid runs here")),
    "The first three are micro-benchmarks, PageRank is an application benchmark. A run is valid if its output was",
    "checked",
    "and found right; \u2013: none.")
}
