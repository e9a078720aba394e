# Table 5: the cluster of the paper beside the clusters of the runs.

takes <- c(terasort = "cells")

draw <- function(tables) {
  runs <- tables$terasort
  done <- runs[runs$status %in% "ok", ]
  rates <- metric_rows(runs, "link.rate")
  emulated <- hosts_emulated(runs)
  meter <- unique(metric_rows(runs, "energy.total")$source)
  appendix <- "see the report\u2019s appendix"
  rows <- rbind(
    c("cluster size", "13 nodes; 3, 5, 9 and 13 used", paste(list_cell(sort(unique(done$nodes))), "nodes")),
    c("processors of a node", "2 x Intel Xeon E5-2660, 2.20/3 GHz, 16 cores",
      if (emulated) "hosts share one machine" else appendix),
    c("memory of a node", "64 GB DDR3, 1600 MHz", appendix),
    c("disks", "HDD 1 TB; SSD 480 GB in 8 nodes", list_cell(disk_label[sort(unique(done$disk))])),
    c("Gigabit Ethernet", "1,000 Mbit/s", rate_cell(runs, TRUE)),
    c("InfiniBand", "FDR, 56,000 Mbit/s", rate_cell(runs, FALSE)),
    c("power meter", "HP iLO of every node", if (length(meter)) and_text(meter) else "none"),
    c("operating system", "CentOS 6.4 (2.6.32-358.6.2)", appendix),
    c("Java", "Oracle JDK 1.8.0_20", "JDK 17 for Hadoop 3.4.2"),
    c("MPI", "MVAPICH2 1.9 (for DataMPI)", "Open MPI (for the engine)"),
    c("PageRank", "Pegasus 2.0", "own jobs")
  )
  table_figure(rows, c("", "paper (Pluton)", "here"), c(0, 42, 112), rep(FALSE, 3),
    data.frame(from = 0, to = 172, text = "hardware and software"), missing_text(runs), source_text(rates$source))
}
