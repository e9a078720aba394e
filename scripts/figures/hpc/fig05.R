# Fig. 5: time and ED2P of TeraSort.

# What the SSD leaves of UDA's time on 9 nodes by the paper's 78 %, from the median with the HDD here.
left_over <- function(rows, disk) {
  hdd <- rows$value[rows$framework %in% "hadoop-uda" & rows$nodes %in% 9 & rows$disk %in% "hdd"]
  if (disk != "ssd" || !length(hdd)) return(NULL)
  data.frame(place = 9, series = "hadoop-uda", y = 0.22 * stats::median(hdd), text = "78 % less", hjust = -0.15)
}

takes <- c(terasort = "cells")

draw <- function(tables) {
  benchmark_figure(tables$terasort, left_over, "50",
    "The paper: SSDs take up to 78 % off the time (9 nodes; hollow diamond where UDA ran), DataMPI is the fastest.")
}
