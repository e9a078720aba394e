# Table 2: the benchmarks, and the runs that ended with a right output.

takes <- c(terasort = "cells", benchmarks = "cells")

draw <- function(tables) {
  runs <- rbind(tables$terasort, tables$benchmarks)
  runs <- unique(runs[runs$status %in% "ok", c("point", "rep", "framework", "benchmark")])
  n <- function(benchmark, which) {
    found <- sum(runs$benchmark %in% benchmark & grepl(which, runs$framework))
    if (found) paste(found) else "\u2013"
  }
  what <- rbind(
    c("TestDFSIO", "dfsio-write", "Tests the write throughput of HDFS", "yes", "no"),
    c("TestDFSIO", "dfsio-read", "Tests its read throughput", "yes", "no"),
    c("Wordcount", "wordcount", "Counts each word of a text", "yes", "yes"),
    c("Sort", "sort", "Sorts a text", "yes", "yes"),
    c("TeraSort", "terasort", "Sorts records of 100 bytes", "yes", "yes"),
    c("PageRank", "pagerank", "Ranks pages by their links", "yes", "no"),
    c("Bayes", "bayes", "Classifies documents by Bayes\u2019 theorem", "yes", "no"),
    c("Grep", "grep", "Counts matches of a pattern", "no\u1d43", "no\u1d43")
  )
  rows <- cbind(what, vapply(what[, 2], n, "", "^(hadoop|rdma|homr)"), vapply(what[, 2], n, "", "^engine"))
  table_figure(rows, c("benchmark", "id here", "what it does", "Hadoop", "DataMPI", "Hadoop", "engine"),
    c(0, 24, 48, 118, 134, 152, 170), c(FALSE, FALSE, FALSE, TRUE, TRUE, TRUE, TRUE),
    data.frame(from = c(106, 138), to = c(134, 172), text = c("in the paper", "valid runs here")),
    "A run is valid if its output was checked and found right; \u2013: none.",
    "\u1d43 not in MREv; the paper of study hpc says that DataMPI ships Grep.", missing_text(tables$benchmarks))
}
