# Table 3: the frameworks of the paper and what stands for them here.

takes <- c(terasort = "cells")

draw <- function(tables) {
  runs <- tables$terasort
  state <- function(id) {
    if (!nzchar(id)) return("not planned")
    runs_cell(runs, id, "runs of TeraSort")
  }
  listed <- rbind(
    c("Hadoop-2.5.1-GBE", "30/06/2014", "Gigabit Ethernet", "hadoop-gbe"),
    c("Hadoop-2.5.1-IPoIB", "30/06/2014", "InfiniBand (IPoIB)", "hadoop-ipoib"),
    c("Hadoop-2.5.1-UDA", "03/09/2014", "InfiniBand (RDMA & IPoIB)", "hadoop-uda"),
    c("Hadoop-1.2.1-GBE", "01/08/2013", "Gigabit Ethernet", ""),
    c("Hadoop-1.2.1-IPoIB", "01/08/2013", "InfiniBand (IPoIB)", ""),
    c("Hadoop-1.2.1-UDA", "07/06/2013", "InfiniBand (RDMA & IPoIB)", ""),
    c("RDMA-Hadoop-0.9.9", "31/03/2014", "InfiniBand (RDMA)", "rdma-hadoop"),
    c("RDMA-Hadoop-2-0.9.5", "26/11/2014", "InfiniBand (RDMA)", "rdma-hadoop"),
    c("DataMPI-0.6.0-HDFS-GBE", "16/04/2014", "InfiniBand (RDMA) & Gigabit Ethernet", "engine-gbe"),
    c("DataMPI-0.6.0-HDFS-IPoIB", "16/04/2014", "InfiniBand (RDMA & IPoIB)", "engine-ipoib"),
    c("Spark-1.1.0-YARN-GBE", "11/09/2014", "Gigabit Ethernet", ""),
    c("Spark-1.1.0-YARN-IPoIB", "11/09/2014", "InfiniBand (IPoIB)", "")
  )
  rows <- cbind(listed[, 1:3], ifelse(nzchar(listed[, 4]), listed[, 4], "\u2013"), vapply(listed[, 4], state, ""))
  table_figure(rows, c("framework", "release date", "interconnect", "id", "runs"), c(0, 42, 62, 118, 143),
    rep(FALSE, 5),
    data.frame(from = c(0, 116), to = c(112, 172), text = c("paper", "here")),
    "Hadoop is 3.4.2 here by default. The engine over MPI stands in DataMPI\u2019s place, both parts on one interface.",
    "The dates are the paper\u2019s.", missing_text(runs))
}
