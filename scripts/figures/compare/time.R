# Frameworks side by side: a row a benchmark, a line a framework; time with its start-up, and processor time.

takes <- c(runs = "cells")

draw <- function(tables) {
  runs <- tables$runs
  benchmarks <- unique(metric_rows(runs, "time.total")$benchmark)
  frameworks_figure(runs, runs, list(list("time.total", "time", "s", 1),
    list("cpu.seconds", "processor time of all hosts", "s", 1)), if (length(benchmarks) > 1) "tall" else "wide")
}
