#!/usr/bin/env Rscript
# Fig. 4: time and ED2P of Wordcount.
# Rscript fig04.R --out STEM wordcount=wordcount.csv
here <- dirname(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)), fixed = TRUE))
for (part in c("load.R", "cells.R", "cells_panels.R")) source(file.path(here, "..", "lib", part), encoding = "UTF-8")

figure_main(c(wordcount = "cells"), function(tables) {
  cells_six(tables$wordcount, function(rows, disk) NULL, "50",
    "The paper gives no number for Wordcount: frameworks but UDA differ little, nor do disks.")
})
