# Fig. 10: energy of all links with the same and with other settings on 10GbE than on 1GbE, over standard EEE.

takes <- c(nonuniform = "netsim")

draw <- function(tables) {
  runs <- tables$nonuniform
  all <- metric_rows(runs, c("energy.total", "makespan"))
  said <- data.frame(nodes = 80, workload = c("small", "batch"), setting = "1ms1000", value = 0.8)
  panels <- list(
    over_standard_panel(all[all$metric == "energy.total", ], "a\u2002energy of all links", said),
    over_standard_panel(all[all$metric == "makespan", ], "b\u2002total runtime", bars = FALSE)
  )
  simulation_figure(panels, runs, all, "tall", ncol = 1, heights = c(2, 1),
    "Deep buffers and tuned TCP; all values over the median of standard EEE in the same scenario (grey line at 1).",
    seeds_text(all[all$metric == "makespan", ], "column or tick: median"),
    "x: nodes and workload. 12us10+ and 120us100+ have 1ms1000 on 10GbE. Hollow diamonds: the 20 % that the paper's",
    "best setting saves at 4:1.")
}
