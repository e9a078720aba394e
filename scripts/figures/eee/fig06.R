# Fig. 6: energy of a port over the stall time, no coalescing, small jobs.

takes <- c(stall = "netsim")

draw <- function(tables) {
  runs <- tables$stall
  panel <- function(metric, title) {
    rows <- metric_rows(runs, metric)
    rows$series <- series_factor(as.character(rows$nodes))
    lines_panel(rows, "stall_us", "stall time", "energy of a port, J", title, more = list(stall_axis(runs),
      scale_y_continuous(limits = c(0, NA), expand = expansion(c(0, 0.05)))))
  }
  rows <- metric_rows(runs, "energy.port.mean")
  panels <- list(panel("energy.port.edge", "a\u20021GbE port"), panel("energy.port.core", "b\u200210GbE port"),
    panel("energy.port.mean", "c\u2002mean of all ports"))
  simulation_figure(panels, runs, rows, "wide", seeds_text(rows),
    "Small jobs, no coalescing; energy from the first job's start to the last one's end. At 0 the port sleeps at once:",
    "standard EEE. The paper's text gives no numbers for this figure.")
}
