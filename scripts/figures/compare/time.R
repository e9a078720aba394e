# Frameworks side by side: a row a benchmark, a line a framework; time with its start-up, and processor time.

takes <- c(runs = "cells")

draw <- function(tables) {
  runs <- tables$runs
  rows <- metric_rows(runs, "time.total")
  benchmarks <- unique(rows$benchmark)
  panels <- unlist(lapply(benchmarks, function(benchmark) {
    list(frameworks_panel(runs, "time.total", benchmark, paste0(label_of(benchmark), ", time"), "s"),
      frameworks_panel(runs, "cpu.seconds", benchmark, "processor time of all hosts", "s"))
  }), recursive = FALSE)
  n <- n_text(as.integer(table(rows$point)))
  panel_figure(panels, runs, rows, if (length(benchmarks) > 1) "tall" else "wide",
    paste0("Points: all runs (n = ", n, "); tick: median; grey: the median start-up, until the first task runs."),
    legend = 0, ncol = 2)
}
