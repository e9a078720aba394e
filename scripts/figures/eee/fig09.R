# Fig. 9: runtime and energy of every coalescing setting over standard EEE, mean of the scenarios.

columns <- c("shallow\ndefault", "shallow\ntuned", "deep\ndefault", "deep\ntuned")

# Means over scenarios as ticks, the scenarios as points. rows, mean_of: place, series, value.
means_panel <- function(rows, mean_of, title, marks, log) {
  rows$x <- beside(rows$place, rows$series, fine = TRUE)
  mean_of$x <- beside(mean_of$place, mean_of$series, fine = TRUE)
  half <- half_column(rows$series, fine = TRUE)
  ggplot(mean_of, series_aes(.data$x, .data$value)) +
    unity_line() +
    paper_marks(marks) +
    geom_segment(aes(x = .data$x - half, xend = .data$x + half, yend = .data$value), linewidth = 0.8,
      show.legend = FALSE) +
    geom_point(data = rows, size = 0.9, stroke = 0.25, alpha = 0.75) +
    series_scales(levels(rows$series), fine = TRUE) +
    place_axis(levels(rows$place)) +
    (if (log) plain_log_axis(NULL) else scale_y_continuous(NULL, limits = c(0, NA), expand = expansion(c(0, 0.06)))) +
    labs(title = title) +
    theme_places()
}

takes <- c(coalescing = "netsim")

draw <- function(tables) {
  runs <- tables$coalescing
  all <- metric_rows(runs, c("makespan", "runtime.mean", "energy.total"))
  held <- c("12us10", "120us100", "1ms1000", "10ms1000")
  count <- 0
  panel <- function(metric, title, marks = NULL) {
    by <- c("workload", "nodes", "buffer", "tcp")
    rows <- relative_to(all[all$metric == metric, ], "nopa", by)
    rows <- rows[rows$setting %in% held, ]
    if (nrow(rows) == 0) return(NULL)
    rows <- summarise_runs(rows, c(by, "setting"))
    count <<- max(table(rows$setting, rows$buffer, rows$tcp))
    rows$value <- rows$median
    rows$place <- factor(paste0(rows$buffer, "\n", rows$tcp), columns)
    rows$series <- factor(rows$setting, held)
    mean_of <- stats::aggregate(value ~ place + series, rows, mean)
    means_panel(rows, mean_of, title, marks_beside(marks, rows, fine = TRUE), log = max(rows$value) > 2.5)
  }
  shallow <- rep(columns[1:2], each = 2)
  time <- data.frame(place = c(shallow, columns[c(2, 4)]), series = c(rep(held[1:2], 2), held[c(3, 3)]),
    y = c(rep(1.01, 4), 1.25, 1.02), text = NA)
  energy <- data.frame(place = c(shallow, columns[4]), series = c(rep(held[1:2], 2), held[3]),
    y = c(0.75, 0.6, 0.75, 0.6, 0.55), text = NA)
  panels <- list(panel("makespan", "a\u2002total runtime", time), panel("runtime.mean", "b\u2002average runtime"),
    panel("energy.total", "c\u2002energy of all links", energy))
  simulation_figure(panels, runs, all, "wide",
    paste0("All values over standard EEE (grey line at 1). Small points: medians of the seeds of each of up to ", count,
      " scenarios (small and batch on 24, 50 and 80 nodes); tick: their mean. x: buffers and TCP window."),
    "Hollow diamonds: the paper's text, for shallow buffers without naming the TCP setting; where it",
    "says \"less than\",",
    "its bound.")
}
