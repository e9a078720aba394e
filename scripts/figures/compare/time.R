# Frameworks side by side: a row a benchmark, a line a framework; time with its start-up, and processor time.

# A metric of one benchmark: every run, the median as a tick, and the median start-up in grey.
metric_panel <- function(runs, metric, benchmark, title, name) {
  rows <- cluster_rows(runs, metric, benchmark = benchmark)
  if (!nrow(rows)) return(NULL)
  frameworks <- rev(levels(droplevels(rows$series)))
  middle <- stats::aggregate(list(value = rows$value), list(series = rows$series), stats::median)
  startup <- if (metric == "time.total") cluster_rows(runs, "time.startup", benchmark = benchmark)
  grey <- if (!is.null(startup) && nrow(startup)) {
    stats::aggregate(list(value = startup$value), list(series = startup$series), stats::median)
  }
  ggplot(rows, aes(.data$value, .data$series, colour = .data$series, shape = .data$series)) +
    (if (!is.null(grey)) {
      geom_segment(aes(x = 0, xend = .data$value, y = .data$series, yend = .data$series), grey, inherit.aes = FALSE,
        linewidth = 2.4, colour = "#C8C8C8")
    }) +
    geom_point(size = 1.4, alpha = 0.75) +
    geom_point(aes(.data$value, .data$series), middle, inherit.aes = FALSE, shape = 124, size = 3.2) +
    scale_y_discrete(NULL, limits = frameworks, labels = label_of) +
    linear_axis_x(name) +
    series_scales(levels(rows$series)) +
    labs(title = title) + theme_kvasir() + theme(legend.position = "none")
}

linear_axis_x <- function(name) scale_x_continuous(name, limits = c(0, NA), expand = expansion(c(0, 0.06)))

takes <- c(runs = "cells")

draw <- function(tables) {
  runs <- tables$runs
  rows <- metric_rows(runs, "time.total")
  benchmarks <- unique(rows$benchmark)
  panels <- unlist(lapply(benchmarks, function(benchmark) {
    list(metric_panel(runs, "time.total", benchmark, paste0(label_of(benchmark), ", time"), "s"),
      metric_panel(runs, "cpu.seconds", benchmark, "processor time of all hosts", "s"))
  }), recursive = FALSE)
  n <- n_text(as.integer(table(rows$point)))
  panel_figure(panels, runs, rows, if (length(benchmarks) > 1) "tall" else "wide",
    paste0("Points: all runs (n = ", n, "); tick: median; grey: the median start-up, until the first task runs."),
    legend = 0, ncol = 2)
}
