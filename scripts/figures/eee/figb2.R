# Fig. B2: coalescing on 10GbE whose holding time and trigger follow the measured load, against two fixed settings.

takes <- c(adaptive = "netsim")

draw <- function(tables) {
  runs <- eee_shallow(tables$adaptive)
  total <- metric_rows(runs, "energy.total")
  panels <- list(
    eee_over_load(metric_rows(runs, "runtime.mean"), "a\u2002average runtime", relative = TRUE),
    eee_over_load(metric_rows(runs, "energy.core"), "b\u2002energy of 10GbE links", relative = TRUE),
    eee_over_load(eee_product(runs, "energy.total", "makespan", "edp"), "c\u2002energy \u00d7 total runtime",
      relative = TRUE),
    eee_over_load(eee_product(runs, "energy.total", "runtime.mean", "edp.average"),
      "d\u2002energy \u00d7 average runtime", relative = TRUE)
  )
  eee_figure(panels, runs, total, "tall", ncol = 2, eee_seeds(total, "point"),
    "TeraSort jobs, shallow buffers, coalescing on 10GbE only (1GbE: standard EEE). All values over the",
    "median of standard",
    "EEE. Adaptive: holding time and trigger from the load a port measures, with a bound on the mean delay. Not in the",
    "paper.")
}
