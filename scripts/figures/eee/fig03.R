# Fig. 3: average and total runtime over the CPU load, under three schedulers (the paper: Quincy).

takes <- c(scheduler = "netsim")

draw <- function(tables) {
  runs <- tables$scheduler
  take <- function(metric) {
    rows <- metric_rows(runs, metric)
    rows$series <- series_factor(rows$scheduler)
    rows
  }
  zero <- scale_y_continuous(limits = c(0, NA), expand = expansion(c(0, 0.05)))
  rows <- take("runtime.mean")
  panels <- list(
    lines_panel(rows, "load", "CPU load of the job stream, %", "runtime, s", "a\u2002average runtime of a job",
      more = zero),
    lines_panel(take("makespan"), "load", "CPU load of the job stream, %", "runtime, s", "b\u2002total runtime",
      more = zero)
  )
  simulation_figure(panels, runs, rows, "wide", seeds_text(rows),
    "Small jobs that come within the same time at every load, more of them the higher it is. The paper draws",
    "Quincy alone and says that both grow with the load. Total runtime: from the start of the first job to the end of",
    "the last.")
}
