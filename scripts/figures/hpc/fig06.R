# Fig. 6: time and ED2P of PageRank.

# The paper's reductions of the time, applied to the medians measured here: of IPoIB against GbE, and of UDA by the SSD.
stated <- function(rows, disk) {
  middle <- function(framework, nodes, disk) {
    found <- rows$value[rows$framework %in% framework & rows$nodes %in% nodes & rows$disk %in% disk]
    if (length(found)) stats::median(found) else NA
  }
  ipoib <- list(hdd = c("9" = 23.3, "13" = 29.3), ssd = c("9" = 24.1))[[disk]]
  marks <- data.frame(place = as.numeric(names(ipoib)), series = "hadoop-ipoib",
    y = (1 - ipoib / 100) * vapply(as.numeric(names(ipoib)), function(n) middle("hadoop-gbe", n, disk), 0), text = NA)
  if (disk == "ssd") marks <- rbind(marks, data.frame(place = 9, series = "hadoop-uda",
    y = (1 - 0.223) * middle("hadoop-uda", 9, "hdd"), text = NA))
  marks[!is.na(marks$y), ]
}

takes <- c(pagerank = "cells")

draw <- function(tables) {
  runs <- tables$pagerank
  drawn <- any(metric_rows(runs, "time.total")$nodes %in% c(9, 13))
  benchmark_figure(runs, stated, "50",
    if (drawn) "Hollow diamonds:" else "Not drawn, as neither 9 nor 13 nodes were run:",
    "the paper\u2019s reductions from the median beside them: IPoIB against GbE 23.3 % (9 nodes, HDD), 29.3 % (13,",
    "HDD) and",
    "24.1 % (9, SSD); SSD against HDD 22.3 % (UDA), 3.9 % (IPoIB), 2.9 % (GbE).")
}
