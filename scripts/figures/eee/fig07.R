# Fig. 7: energy of all links with standard and ideal EEE against legacy Ethernet.

takes <- c(standard = "netsim")

draw <- function(tables) {
  runs <- tables$standard
  panel <- function(metric, title, said = FALSE) {
    rows <- relative_to(metric_rows(runs, metric), "legacy", c("workload", "nodes"))
    rows <- rows[!rows$setting %in% "legacy", ]
    if (nrow(rows) == 0) return(NULL)
    rows$value <- 100 * rows$value
    rows$place <- scenario_factor(rows$workload, rows$nodes)
    rows$series <- series_factor(rows$setting)
    x <- unique(beside(rows$place, factor("nopa", levels(rows$series))[rep(1, nrow(rows))], fine = TRUE))
    marks <- data.frame(x = rep(x, each = 2), y = c(100 / 5, 100 / 8), text = NA)
    columns_panel(rows, linear_axis("% of legacy Ethernet"), title, marks = if (said) marks,
      more = geom_hline(yintercept = 10, linewidth = 0.3, linetype = "22"), fine = TRUE)
  }
  rows <- metric_rows(runs, "energy.total")
  panels <- list(panel("energy.total", "a\u2002all links", TRUE), panel("energy.edge", "b\u20021GbE links"),
    panel("energy.core", "c\u200210GbE links"))
  simulation_figure(panels, runs, rows, "wide",
    "The simulator's CPU cycles a byte were set so that standard EEE lies between the hollow diamonds.",
    seeds_text(rows, "column: median"),
    "x: nodes and workload. Hollow diamonds: a fifth and an eighth of legacy Ethernet, between which the paper has",
    "standard EEE. Dashed: 10 %, the power of a link that always idles; nothing can be below it.")
}
