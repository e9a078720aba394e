# Table 4: the evaluated frameworks and what was run here in their place.

takes <- c(terasort = "cells")

draw <- function(tables) {
  runs <- tables$terasort
  rows <- rbind(
    c("Hadoop-2-GbE", "2.7.1", "06/07/2015", "Gigabit Ethernet", "hadoop-gbe"),
    c("Hadoop-2-IPoIB", "2.7.1", "06/07/2015", "InfiniBand (IPoIB)", "hadoop-ipoib"),
    c("Hadoop-2-UDA", "3.3.2", "24/11/2013", "InfiniBand (RDMA & IPoIB)\u1d43", "hadoop-uda"),
    c("RDMA-Hadoop-2", "0.9.7", "26/05/2015", "InfiniBand (RDMA & IPoIB)", "rdma-hadoop"),
    c("DataMPI", "0.6.0\u1d47", "16/04/2014", "InfiniBand (RDMA & IPoIB)", "engine-ipoib")
  )
  rows <- cbind(rows, vapply(rows[, 5], runs_cell, "", runs = runs))
  table_figure(rows, c("name", "version", "release date", "interconnect", "id", "TeraSort"), c(0, 32, 48, 70, 118, 150),
    rep(FALSE, 6), data.frame(from = c(0, 116), to = c(112, 172), text = c("paper", "here")),
    "\u1d43 RDMA in the shuffle, IPoIB for HDFS. \u1d47 over HDFS of Hadoop 1.2.1 with IPoIB; the engine here reads",
    "HDFS of",
    "Hadoop 3.4.2, which all frameworks share.", missing_text(runs), rates_text(runs))
}
