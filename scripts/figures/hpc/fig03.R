# Fig. 3: throughput of TestDFSIO by framework, cluster size and disk.

takes <- c(dfsio = "cells")

draw <- function(tables) {
  runs <- tables$dfsio
  rows <- metric_rows(runs, "throughput.stream")
  disks <- intersect(names(disk_label), rows$disk)
  panel <- function(benchmark, disk) {
    letter <- c("dfsio-read hdd" = "a", "dfsio-read ssd" = "b", "dfsio-write hdd" = "c", "dfsio-write ssd" = "d")
    title <- paste0(letter[[paste(benchmark, disk)]], "\u2002", sub("dfsio-", "", benchmark), ", ", disk_label[[disk]])
    columns_panel(cluster_rows(runs, "throughput.stream", disk, benchmark), count_axis("MB/s a stream"), title, "nodes")
  }
  both <- expand.grid(disk = disks, benchmark = c("dfsio-read", "dfsio-write"))
  panels <- Map(panel, as.character(both$benchmark), as.character(both$disk))
  panel_figure(unname(panels), runs, rows, if (length(disks) > 1) "tall" else "wide", runs_text(rows),
    "Throughput as TestDFSIO reports it: megabytes (2^20 bytes) of all files over the seconds of all their streams.",
    "The paper gives no number, but that GbE and IPoIB differ little only in reading on 3 nodes.",
    unplanned_text(runs), ncol = 2,
    instead = lacking_text(list(HDD = c("a", "c"), SSD = c("b", "d")), disk_label[disks], rows$nodes))
}
