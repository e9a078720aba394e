# Table 4: the cluster of the paper beside the clusters of the runs.

takes <- c(terasort = "cells")

draw <- function(tables) {
  runs <- tables$terasort
  done <- runs[runs$status %in% "ok", ]
  rates <- metric_rows(runs, "link.rate")
  emulated <- hosts_emulated(runs)
  rows <- rbind(
    c("nodes", "13; 5, 9 and 13 used", list_cell(sort(unique(done$nodes)))),
    c("processors of a node", "2 x Intel Xeon E5-2660, 2.20 GHz, 16 cores",
      if (emulated) "hosts share one machine" else "see the report\u2019s appendix"),
    c("memory of a node", "64 GB DDR3, 1600 MHz", "see the report\u2019s appendix"),
    c("disk of a node", "1 TB HDD", list_cell(disk_label[sort(unique(done$disk))])),
    c("Gigabit Ethernet", "1,000 Mbit/s", rate_cell(runs, TRUE)),
    c("InfiniBand (IPoIB)", "FDR, 56,000 Mbit/s", rate_cell(runs, FALSE)),
    c("operating system", "CentOS 6.4 (2.6.32-358)", "see the report\u2019s appendix"),
    c("Java", "Oracle JDK 1.8.0-20", "JDK 17 for Hadoop 3.4.2"),
    c("MPI", "MVAPICH2 1.9", "Open MPI")
  )
  table_figure(rows, c("", "paper (Pluton)", "here"), c(0, 42, 108), rep(FALSE, 3),
    data.frame(from = 0, to = 172, text = "hardware and software"), missing_text(runs), source_text(rates$source))
}
