# Fig. B2: coalescing on 10GbE whose holding time and trigger follow the measured load, against two fixed settings.

takes <- c(adaptive = "netsim")

draw <- function(tables) {
  runs <- shallow_only(tables$adaptive)
  total <- metric_rows(runs, "energy.total")
  panels <- list(
    load_panel(metric_rows(runs, "runtime.mean"), "a\u2002average runtime", relative = TRUE),
    load_panel(metric_rows(runs, "energy.core"), "b\u2002energy of 10GbE links", relative = TRUE),
    load_panel(product_of(runs, "energy.total", "makespan", "edp"), "c\u2002energy \u00d7 total runtime",
      relative = TRUE),
    load_panel(product_of(runs, "energy.total", "runtime.mean", "edp.average"),
      "d\u2002energy \u00d7 average runtime", relative = TRUE)
  )
  simulation_figure(panels, runs, total, "tall", ncol = 2, seeds_text(total),
    "TeraSort jobs, shallow buffers, coalescing on 10GbE only (1GbE: standard EEE). All values over the",
    "median of standard",
    "EEE. Adaptive: holding time and trigger from the load a port measures, with a bound on the mean delay. Not in the",
    "paper.")
}
