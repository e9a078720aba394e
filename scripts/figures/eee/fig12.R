# Fig. 12: runtime over the CPU load, TeraSort jobs, coalescing on 10GbE only.

takes <- c(load = "netsim")

draw <- function(tables) {
  runs <- eee_shallow(tables$load)
  total <- metric_rows(runs, "makespan")
  said <- data.frame(x = 5, y = 1.2, text = "paper: 20 %", hjust = -0.15)
  panels <- list(
    eee_over_load(total, "a\u2002total runtime, s"),
    eee_over_load(total, "b\u2002total runtime", said, relative = TRUE),
    eee_over_load(metric_rows(runs, "runtime.mean"), "c\u2002average runtime", said, relative = TRUE)
  )
  eee_figure(panels, runs, total, "wide", eee_seeds(total, "point"),
    "TeraSort jobs, shallow buffers, coalescing on 10GbE only (1GbE: standard EEE). b, c: over the",
    "median of standard EEE.",
    "Hollow diamonds: what the paper gives for 1ms1000 at 5 % load.")
}
