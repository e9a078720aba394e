# Fig. 4: time and ED2P of Wordcount.

takes <- c(wordcount = "cells")

draw <- function(tables) {
  benchmark_figure(tables$wordcount, function(rows, disk) NULL, "50",
    "The paper gives no number for Wordcount: frameworks but UDA differ little, nor do disks.")
}
