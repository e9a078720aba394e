#!/usr/bin/env Rscript
# Fig. 2: what the combiner saves: GroupByKey without and ReduceByKey with it, on a data set of few unique words.
# Rscript fig02.R --out STEM combiner=combiner.csv combiner.trace=combiner.trace.csv
here <- dirname(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)), fixed = TRUE))
source(file.path(here, "..", "lib", "load.R"), encoding = "UTF-8")

figure_main(c(combiner = "runs", combiner.trace = "trace"), function(tables) {
  runs <- tables$combiner
  panels <- data.frame(app = c("group-by-key", "reduce-by-key"), xgroup = 1)
  panels$label <- paste0(label_of(panels$app), c(" (no combiner)", " (combiner before and after the exchange)"))
  paper <- paper_ratio(runs, list(app = "group-by-key"), "b", 0.54, "paper: up to 46 % less than GroupByKey")
  trace_figure(runs, tables$combiner.trace, panels, "app",
    ncol = 2, size = "wide", heights = c(2.2, 1), paper = paper,
    notes = data_note(runs)
  )
})
