#!/usr/bin/env Rscript
# Fig. 3: ReduceByKey on data sets of falling combinability: the three of nine that the paper prints.
# Rscript fig03.R --out STEM combinability=combinability.csv combinability.trace=combinability.trace.csv
here <- dirname(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)), fixed = TRUE))
source(file.path(here, "..", "lib", "load.R"), encoding = "UTF-8")

figure_main(c(combinability = "runs", combinability.trace = "trace"), function(tables) {
  runs <- tables$combinability
  panels <- data.frame(data = c("4B72", "4B1M", "4B50M"), xgroup = 1:3)
  panels$label <- data_label(panels$data, runs)
  trace_figure(runs, tables$combinability.trace, panels, "data",
    ncol = 3, size = "wide", heights = c(2, 1),
    notes = c("ReduceByKey.", buffer_note(runs), "The time axes of the panels differ.")
  )
})
