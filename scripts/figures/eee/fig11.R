# Fig. 11: energy of 10GbE and of 1GbE links apart, over standard EEE.

takes <- c(nonuniform = "netsim")

draw <- function(tables) {
  runs <- tables$nonuniform
  all <- metric_rows(runs, c("energy.core", "energy.edge"))
  places <- unique(all[c("nodes", "workload")])
  mark <- function(setting, value) if (nrow(places)) cbind(places, setting = setting, value = value)
  panels <- list(
    over_standard_panel(all[all$metric == "energy.core", ], "a\u200210GbE links",
      rbind(mark("1ms1000", 0.65), mark("1ms1000", 0.25))),
    over_standard_panel(all[all$metric == "energy.edge", ], "b\u20021GbE links",
      rbind(mark("1ms1000", 0.95), mark("ideal", 0.8)))
  )
  simulation_figure(panels, runs, all, "tall", ncol = 1,
    "Deep buffers and tuned TCP; all values over the median of standard EEE in the same scenario (grey line at 1).",
    seeds_text(all[all$metric == "energy.core", ], "column: median"),
    "x: nodes and workload. Hollow diamonds: the paper's text, 35 to 75 % saved on 10GbE by the best",
    "setting; on 1GbE at",
    "most 5 % by any setting, and 20 % by the ideal.")
}
