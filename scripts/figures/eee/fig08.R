# Fig. 8: runtimes and energy of every coalescing setting over standard EEE, by buffer and TCP setting, all scenarios.

columns <- c("shallow buffers, default TCP", "shallow buffers, tuned TCP", "deep buffers, default TCP",
  "deep buffers, tuned TCP")

# Words in facets that have no run. none: data frame with the facet's column; rows: the others.
not_run <- function(none, rows) {
  if (nrow(none) == 0) return(NULL)
  none$x <- (nlevels(rows$place) + 1) / 2
  none$y <- stats::median(rows$value)
  words_layer(aes(.data$x, .data$y, label = "not run"), none, size = pt(base_size), colour = grey_text)
}

takes <- c(coalescing = "netsim")

draw <- function(tables) {
  runs <- tables$coalescing
  panel <- function(metric, axis, top) {
    rows <- relative_to(metric_rows(runs, metric), "nopa", c("workload", "nodes", "buffer", "tcp"))
    rows <- rows[!rows$setting %in% "nopa", ]
    if (nrow(rows) == 0) return(NULL)
    rows$column <- factor(paste0(rows$buffer, " buffers, ", rows$tcp, " TCP"), columns)
    rows$place <- scenario_factor(rows$workload, rows$nodes)
    rows$series <- series_factor(rows$setting)
    far <- metric != "energy.total" && max(rows$value) > 2
    none <- data.frame(column = factor(setdiff(columns, rows$column), columns))
    columns_panel(rows, if (far) plain_log_axis(axis) else linear_axis(axis), bars = !far, facet = "column",
      fine = TRUE, more = list(unity_line(), not_run(none, rows),
      if (metric != "energy.total") geom_hline(yintercept = 1.05, linewidth = 0.25, linetype = "22"),
      facet_wrap(vars(.data$column), nrow = 1, drop = FALSE), if (!top) theme(strip.text = element_blank())))
  }
  rows <- metric_rows(runs, c("makespan", "runtime.mean", "energy.total"))
  panels <- list(panel("makespan", "total runtime,\ntimes standard EEE", TRUE),
    panel("runtime.mean", "average runtime,\ntimes standard EEE", FALSE),
    panel("energy.total", "energy of all links,\ntimes standard EEE", FALSE))
  simulation_figure(panels, runs, rows, "page", ncol = 1,
    "All values over the median of standard EEE in the same scenario (grey line at 1).",
    seeds_text(rows[rows$metric == "makespan", ], "bar or tick: median"),
    "x: nodes and workload. Dashed: 1.05, below which the paper has 12us10 and 120us100 in all scenarios. Runtimes",
    "have a logarithmic axis where one of them more than doubles.")
}
