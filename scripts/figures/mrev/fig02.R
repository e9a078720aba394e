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
    rows <- cluster_rows(runs, "time.total", disk)
    columns_panel(rows, count_axis("time of TeraSort, s"), disk_label[[disk]], "nodes",
      more = paper_marks(marks_beside(marks, rows)))
  })
  seven <- "the paper\u2019s only readable time is about 420 s (7 minutes) for Hadoop-IPoIB on 13 nodes, Fig. 3"
  panel_figure(panels, runs, rows, "wide", runs_text(rows), if (full) paste0("Hollow diamond: ", seven, ".") else
    paste0("No value of the paper is drawn: ", seven, "."), terasort_size_text(runs, "128"))
}
