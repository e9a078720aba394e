# Fig. 8: runtimes and energy of every coalescing setting over standard EEE, by buffer and TCP setting, all scenarios.

columns <- c("shallow buffers, default TCP", "shallow buffers, tuned TCP", "deep buffers, default TCP",
  "deep buffers, tuned TCP")

takes <- c(coalescing = "netsim")

draw <- function(tables) {
  runs <- tables$coalescing
  panel <- function(metric, axis, top) {
    rows <- eee_relative(metric_rows(runs, metric), "nopa", c("workload", "nodes", "buffer", "tcp"))
    rows <- rows[!rows$setting %in% "nopa", ]
    if (nrow(rows) == 0) return(NULL)
    rows$column <- factor(paste0(rows$buffer, " buffers, ", rows$tcp, " TCP"), columns)
    rows$place <- eee_scenario(rows$workload, rows$nodes)
    rows$series <- eee_series(rows$setting)
    far <- metric != "energy.total" && max(rows$value) > 2
    none <- data.frame(column = factor(setdiff(columns, rows$column), columns))
    eee_columns(rows, axis, log = far, facet = "column", more = list(eee_one(), eee_empty(none, rows),
      if (metric != "energy.total") geom_hline(yintercept = 1.05, linewidth = 0.25, linetype = "22"),
      facet_wrap(vars(.data$column), nrow = 1, drop = FALSE), if (!top) theme(strip.text = element_blank())))
  }
  rows <- metric_rows(runs, c("makespan", "runtime.mean", "energy.total"))
  panels <- list(panel("makespan", "total runtime", TRUE), panel("runtime.mean", "average runtime", FALSE),
    panel("energy.total", "energy of all links", FALSE))
  eee_figure(panels, runs, rows, "page", ncol = 1,
    "All values over the median of standard EEE in the same scenario (grey line at 1).",
    eee_seeds(rows[rows$metric == "makespan", ], "point", "bar or tick: median"),
    "x: nodes and workload. Dashed: 1.05, below which the paper has 12us10 and 120us100 in all scenarios. Runtimes",
    "have a logarithmic axis where one of them more than doubles.")
}
