# Fig. 12: runtime over the CPU load, TeraSort jobs, coalescing on 10GbE only.

takes <- c(load = "netsim")

draw <- function(tables) {
  runs <- shallow_only(tables$load)
  total <- metric_rows(runs, "makespan")
  said <- data.frame(x = 5, y = 1.2, text = "paper: 20 %", hjust = -0.15)
  panels <- list(
    load_panel(total, "a\u2002total runtime, s"),
    load_panel(total, "b\u2002total runtime", said, relative = TRUE),
    load_panel(metric_rows(runs, "runtime.mean"), "c\u2002average runtime", said, relative = TRUE)
  )
  simulation_figure(panels, runs, total, "wide", seeds_text(total),
    "TeraSort jobs, shallow buffers, coalescing on 10GbE only (1GbE: standard EEE). b, c: over the",
    "median of standard EEE.",
    "Hollow diamonds: what the paper gives for 1ms1000 at 5 % load.")
}
