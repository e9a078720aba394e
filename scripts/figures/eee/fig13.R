# Fig. 13: energy over the CPU load, TeraSort jobs, coalescing on 10GbE only.

takes <- c(load = "netsim")

draw <- function(tables) {
  runs <- shallow_only(tables$load)
  total <- metric_rows(runs, "energy.total")
  said <- data.frame(x = c(5, 5), y = c(0.65, 0.25), text = NA)
  panels <- list(
    load_panel(total, "a\u2002all links, J"),
    load_panel(total, "b\u2002all links", relative = TRUE),
    load_panel(metric_rows(runs, "energy.core"), "c\u200210GbE links", said, relative = TRUE)
  )
  simulation_figure(panels, runs, total, "wide", seeds_text(total),
    "TeraSort jobs, shallow buffers, coalescing on 10GbE only (1GbE: standard EEE). b, c: over the",
    "median of standard EEE.",
    "Hollow diamonds: the 35 to 75 % that the paper's best setting saves on 10GbE at all loads.")
}
