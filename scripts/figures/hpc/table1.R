# Table 1: what the solutions are, as the paper says it, and what stands for them here.

takes <- c(terasort = "cells")

draw <- function(tables) {
  runs <- tables$terasort
  state <- function(id) paste0(label_of(id), ", ", runs_cell(runs, id))
  yes <- "yes"
  no <- "\u2013"
  rows <- rbind(
    c("Hadoop IPoIB", yes, yes, yes, yes, yes, no, state("hadoop-ipoib")),
    c("Mellanox UDA", yes, yes, yes, "yes\u1d43", yes, yes, state("hadoop-uda")),
    c("RDMA-Hadoop", yes, "yes\u1d47", yes, no, yes, yes, state("rdma-hadoop")),
    c("HOMR", yes, no, no, no, yes, yes, state("homr")),
    c("DataMPI", "yes\u1d9c", no, yes, no, no, "yes\u1d48", state("engine-ipoib"))
  )
  table_figure(rows, c("", "HDFS", "YARN", "available", "transparent", "compatible", "RDMA", "here"),
    c(0, 28, 42, 56, 74, 94, 114, 128), rep(FALSE, 8),
    data.frame(from = c(0, 126), to = c(124, 172), text = c("paper: 22 of 30", "TeraSort")),
    "\u1d43 some versions need a minimal change of Hadoop. \u1d47 adapted versions of Hadoop 1 and 2. \u1d9c with the",
    "communication of Hadoop 1 only. \u1d48 if the MPI has it.", missing_text(runs), lines = 4)
}
