# Fig. 13: energy over the CPU load, TeraSort jobs, coalescing on 10GbE only.

takes <- c(load = "netsim")

draw <- function(tables) {
  runs <- eee_shallow(tables$load)
  total <- metric_rows(runs, "energy.total")
  said <- data.frame(x = c(5, 5), y = c(0.65, 0.25), text = NA)
  panels <- list(
    eee_over_load(total, "a\u2002all links, J"),
    eee_over_load(total, "b\u2002all links", relative = TRUE),
    eee_over_load(metric_rows(runs, "energy.core"), "c\u200210GbE links", said, relative = TRUE)
  )
  eee_figure(panels, runs, total, "wide", eee_seeds(total, "point"),
    "TeraSort jobs, shallow buffers, coalescing on 10GbE only (1GbE: standard EEE). b, c: over the",
    "median of standard EEE.",
    "Hollow diamonds: the 35 to 75 % that the paper's best setting saves on 10GbE at all loads.")
}
