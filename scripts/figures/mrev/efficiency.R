# TeraSort here beside published sorts: records per second and core, and records per joule.

takes <- c(terasort = "cells", anchors = "anchors")

# A line a system: published results on top, the best first, then the frameworks here. NULL without any.
efficiency_panel <- function(metric, runs, anchors, title, name) {
  rows <- metric_rows(runs, metric)
  said <- anchors[anchors$metric %in% metric, ]
  if (!nrow(rows) && !nrow(said)) return(NULL)
  said$system <- paste(said$label, said$year)
  series <- series_factor(rows$framework)
  systems <- c(rev(label_of(levels(series))), said$system[order(said$value)])
  rows$series <- series
  rows$system <- label_of(rows$framework)
  ggplot(rows, aes(.data$value, .data$system, colour = .data$series, shape = .data$series)) +
    emulated_mark(rows) +
    geom_point(aes(.data$value, .data$system), said, inherit.aes = FALSE, shape = 23, size = 1.9, stroke = 0.4,
      fill = "white", colour = paper_colour) +
    geom_point(size = 1.2, alpha = 0.75) +
    scale_y_discrete(NULL, limits = systems) +
    log_axis(c(rows$value, said$value), name, scale_x_log10) +
    (if (nrow(rows)) series_scales(levels(series))) +
    labs(title = title) + theme_kvasir() + theme(legend.position = "none")
}

draw <- function(tables) {
  runs <- tables$terasort
  rows <- metric_rows(runs, c("records.per.core", "records.per.joule"))
  if (!nrow(rows)) return(nothing_figure(runs, "wide"))
  panels <- list(
    efficiency_panel("records.per.core", runs, tables$anchors, "a\u2002per core", "records per second and core"),
    efficiency_panel("records.per.joule", runs, tables$anchors, "b\u2002per joule", "records per joule")
  )
  core <- rows[rows$metric %in% "records.per.core", ]
  panel_figure(panels, runs, rows, "wide",
    paste0("Points: all runs (n = ", n_text(as.integer(table(core$point))), " a setting), ",
      and_text(sort(unique(core$nodes))), " nodes, start-up included. Hollow diamonds: published sorts of records of ",
      "100 bytes (config/anchors.yaml)."),
    if (!any(rows$metric %in% "records.per.joule")) no_energy_text(runs),
    terasort_size_text(runs, "128"), legend = 0, key = 1)
}
