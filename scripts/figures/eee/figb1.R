# Fig. B1: DCTCP with ECN marking against NewReno with drop-tail queues, shallow buffers (future work of the paper).

places <- c(nopa = "standard\nEEE", "core:1ms1000" = "1ms1000\n10GbE only", "1ms1000" = "1ms1000\nall links")

takes <- c(dctcp = "netsim")

draw <- function(tables) {
  runs <- tables$dctcp
  all <- metric_rows(runs, c("makespan", "runtime.mean", "energy.total", "drops"))
  all$flow <- paste(all$flavour, all$setting)
  panel <- function(metric, title, relative = TRUE) {
    rows <- all[all$metric == metric & all$setting %in% names(places), ]
    if (relative) rows <- relative_to(rows, "newreno nopa", "workload", "flow")
    if (nrow(rows) == 0) return(NULL)
    rows$place <- factor(places[rows$setting], places)
    rows$series <- series_factor(rows$flavour)
    rows$load <- factor(ifelse(rows$workload == "batch", "batch job", "small jobs"), c("small jobs", "batch job"))
    if (!relative) rows$value <- rows$value + 1
    far <- !relative || max(rows$value) > 3
    columns_panel(rows, if (far) plain_log_axis(NULL) else linear_axis(NULL), title, bars = !far, facet = "load",
      fine = TRUE, more = list(facet_wrap(vars(.data$load), nrow = 1), if (relative) unity_line()))
  }
  panels <- list(
    panel("makespan", "a\u2002total runtime"), panel("runtime.mean", "b\u2002average runtime"),
    panel("energy.total", "c\u2002energy of all links"), panel("drops", "d\u2002frames dropped, plus one", FALSE)
  )
  simulation_figure(panels, runs, all, "tall", ncol = 2,
    "a to c: over the median of standard EEE with NewReno (grey line at 1). Shallow buffers, default TCP",
    "window, 24 nodes.",
    seeds_text(all[all$metric == "makespan", ], "column or tick: median"),
    "Axes are logarithmic where a value is more than three times another. Not in the paper, which names",
    "such a protocol as",
    "future work.")
}
