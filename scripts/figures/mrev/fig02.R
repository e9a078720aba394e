# Fig. 2: time of TeraSort by framework and cluster size.

takes <- c(terasort = "cells")

draw <- function(tables) {
  runs <- tables$terasort
  rows <- metric_rows(runs, "time.total")
  big <- metric_rows(runs, "records")$value
  full <- length(big) && min(big) * 100 >= 0.99 * 128e9
  marks <- if (full) data.frame(place = 13, series = "hadoop-ipoib", y = 420, text = NA)
  disks <- intersect(names(disk_label), rows$disk)
  panels <- lapply(disks, function(disk) {
    cells_columns(cells_rows(runs, "time.total", disk), "time of TeraSort, s", disk_label[[disk]], marks = marks)
  })
  seven <- "the paper\u2019s only readable time is about 420 s (7 minutes) for Hadoop-IPoIB on 13 nodes, Fig. 3"
  cells_figure(panels, runs, rows, "wide", cells_runs(rows), if (full) paste0("Hollow diamond: ", seven, ".") else
    paste0("No value of the paper is drawn: ", seven, "."), cells_size(runs, "128"))
}
