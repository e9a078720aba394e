# The two kinds of panel of study eee: lines over a number, and columns over named places.

# The paper's stated values: hollow diamonds with words. marks: data frame x, y, text, hjust, vjust; rows with text NA
# have no words. They lie below the points, so that what was found here stays visible.
eee_marks <- function(marks) {
  if (is.null(marks) || nrow(marks) == 0) return(NULL)
  if (is.null(marks$hjust)) marks$hjust <- -0.1
  if (is.null(marks$vjust)) marks$vjust <- 0.5
  words <- marks[!is.na(marks$text), ]
  list(
    geom_point(aes(.data$x, .data$y), marks, inherit.aes = FALSE, shape = 23, size = 1.9, stroke = 0.4, fill = "white",
      colour = paper_colour),
    if (nrow(words)) geom_text(aes(.data$x, .data$y, label = .data$text, hjust = .data$hjust, vjust = .data$vjust),
      words, inherit.aes = FALSE, size = pt(small_size), family = font_family, colour = paper_colour, lineheight = 1)
  )
}

# Lines through the medians of the seeds, all seeds as points. rows: one metric with column `series` (eee_series());
# x: name of the column on the x axis; more: further layers, scales and facets; marks: see above.
eee_lines <- function(rows, x, axis_x, axis_y, title = NULL, marks = NULL, more = NULL, facet = NULL) {
  if (nrow(rows) == 0) return(NULL)
  rows$x <- rows[[x]]
  middle <- summarise_runs(rows, c("x", "series", facet))
  ggplot(middle, aes(.data$x, .data$median, colour = .data$series, fill = .data$series, shape = .data$series)) +
    geom_linerange(aes(ymin = .data$low, ymax = .data$high), linewidth = 0.3, show.legend = FALSE) +
    geom_line(aes(linetype = .data$series), linewidth = 0.45) +
    eee_marks(marks) +
    geom_point(aes(y = .data$value), rows, size = 1, stroke = 0.3, alpha = 0.75) +
    eee_scales(levels(rows$series)) +
    labs(x = axis_x, y = axis_y, title = title) +
    theme_kvasir() +
    more
}

# Place of a series beside the others around its place on a discrete axis.
eee_beside <- function(place, series, width = 0.78) {
  n <- nlevels(series)
  as.integer(place) + (as.integer(series) - (n + 1) / 2) * width / n
}

# Columns: a light bar from `from` to the median, all seeds as points, their range as a line. rows: one metric with
# `place` (factor on the x axis) and `series`; log: a logarithmic y axis; bars: FALSE for ticks alone where the
# axis has no zero.
eee_columns <- function(rows, axis_y, title = NULL, marks = NULL, more = NULL, facet = NULL, log = FALSE, bars = !log,
                        width = 0.78) {
  if (nrow(rows) == 0) return(NULL)
  rows$x <- eee_beside(rows$place, rows$series, width)
  middle <- summarise_runs(rows, c("x", "series", facet))
  half <- 0.42 * width / nlevels(rows$series)
  y <- if (log) {
    scale_y_log10(axis_y, expand = expansion(0.06), labels = function(v) format(v, trim = TRUE, drop0trailing = TRUE))
  } else {
    scale_y_continuous(axis_y, limits = if (bars) c(0, NA), expand = expansion(c(if (bars) 0 else 0.1, 0.06)),
      breaks = scales::breaks_pretty(5))
  }
  ggplot(middle, aes(.data$x, .data$median, colour = .data$series, fill = .data$series, shape = .data$series)) +
    (if (bars) geom_rect(aes(xmin = .data$x - half, xmax = .data$x + half, ymin = 0, ymax = .data$median), alpha = 0.25,
      colour = NA, show.legend = FALSE)) +
    eee_marks(marks) +
    geom_segment(aes(x = .data$x - half, xend = .data$x + half, yend = .data$median), linewidth = 0.5,
      show.legend = FALSE) +
    geom_linerange(aes(ymin = .data$low, ymax = .data$high), linewidth = 0.3, show.legend = FALSE) +
    geom_point(aes(y = .data$value), rows, size = 0.9, stroke = 0.25, alpha = 0.75) +
    eee_scales(levels(rows$series)) +
    scale_x_continuous(NULL, breaks = seq_along(levels(rows$place)), labels = eee_place_labels(levels(rows$place)),
      limits = c(0.5, nlevels(rows$place) + 0.5), expand = expansion()) +
    y +
    labs(title = title) +
    theme_kvasir() +
    theme(panel.grid.major.x = element_blank(), axis.ticks.x = element_blank()) +
    more
}

# A line across a panel: standard EEE where values are relative to it.
# No axis zooms in on less than 2 % to either side, which is what the paper's runs vary by.
eee_one <- function() {
  list(geom_hline(yintercept = 1, linewidth = 0.3, colour = grey_text), expand_limits(y = c(0.98, 1.02)))
}

# Axis of ratios to something that is 1: logarithmic where one is more than twice it.
eee_times <- function(rows, name) {
  if (!nrow(rows) || max(rows$value) < 2) return(scale_y_continuous(name, expand = expansion(0.08)))
  wide <- max(rows$value) / min(rows$value) > 6
  marks <- if (wide) outer(c(1, 2, 5), 10^(-2:3)) else c(0.2, 0.3, 0.5, 0.7, 1, 1.2, 1.5, 2, 3, 4, 5)
  scale_y_log10(name, expand = expansion(c(0.08, 0.06)), breaks = sort(marks),
    labels = function(v) format(v, trim = TRUE, drop0trailing = TRUE))
}

# Logarithmic x axis in microseconds, with ticks people read.
eee_us <- function(name) {
  scale_x_log10(name, breaks = 10^(0:5), labels = c("1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms"),
    expand = expansion(c(0.04, 0.08)))
}

# Stall times: 0 stands left of the shortest, the others on a logarithmic scale.
eee_stall_axis <- function(runs) {
  us <- sort(unique(runs$stall_us))
  squeeze <- scales::trans_new("stall", function(x) log10(x + 5), function(y) 10^y - 5)
  label <- ifelse(us >= 1000, paste(us / 1000, "ms"), ifelse(us == 0, "0", paste(us, "µs")))
  scale_x_continuous(trans = squeeze, breaks = us, labels = label, expand = expansion(0.05),
    guide = guide_axis(check.overlap = TRUE))
}

# Words in facets that have no run. none: data frame with the facet's column; rows: the others.
eee_empty <- function(none, rows) {
  if (nrow(none) == 0) return(NULL)
  none$x <- (nlevels(rows$place) + 1) / 2
  none$y <- stats::median(rows$value)
  geom_text(aes(.data$x, .data$y, label = "not run"), none, inherit.aes = FALSE, size = pt(base_size),
    family = font_family, colour = grey_text)
}

# Means over scenarios as ticks, the scenarios as points. rows: place, series, value; mean_of: x, value.
eee_means <- function(rows, mean_of, title, marks, log, width = 0.78) {
  rows$x <- eee_beside(rows$place, rows$series, width)
  half <- 0.42 * width / nlevels(rows$series)
  ggplot(mean_of, aes(.data$x, .data$value, colour = .data$series, fill = .data$series, shape = .data$series)) +
    eee_one() +
    eee_marks(marks) +
    geom_segment(aes(x = .data$x - half, xend = .data$x + half, yend = .data$value), linewidth = 0.8,
      show.legend = FALSE) +
    geom_point(data = rows, size = 0.9, stroke = 0.25, alpha = 0.75) +
    eee_scales(levels(rows$series)) +
    scale_x_continuous(NULL, breaks = seq_along(levels(rows$place)), labels = eee_place_labels(levels(rows$place)),
      limits = c(0.5, nlevels(rows$place) + 0.5), expand = expansion()) +
    (if (log) scale_y_log10(NULL, expand = expansion(0.06)) else scale_y_continuous(NULL, limits = c(0, NA),
      expand = expansion(c(0, 0.06)))) +
    labs(title = title) +
    theme_kvasir() +
    theme(panel.grid.major.x = element_blank(), axis.ticks.x = element_blank())
}

# Columns of a metric over standard EEE by scenario and setting (Fig. 10, 11). said: the paper's values as a data frame
# workload, nodes, setting, value.
eee_over_standard <- function(rows, title, said = NULL, bars = TRUE) {
  rows <- eee_relative(rows, "nopa", c("workload", "nodes"))
  rows <- rows[!rows$setting %in% "nopa", ]
  if (nrow(rows) == 0) return(NULL)
  rows$place <- eee_scenario(rows$workload, rows$nodes)
  rows$series <- eee_series(rows$setting)
  if (!is.null(said)) {
    place <- factor(paste0(said$workload, "\n", said$nodes), levels(rows$place))
    said <- data.frame(x = eee_beside(place, factor(said$setting, levels(rows$series))), y = said$value, text = NA)
    said <- said[!is.na(said$x), ]
  }
  eee_columns(rows, "times standard EEE", title, said, list(eee_one()), bars = bars)
}

# The shallow buffers of table load: deep ones are there for one claim.
eee_shallow <- function(runs) runs[runs$buffer %in% c("shallow", NA), ]

# Lines of a metric over the CPU load by setting; relative: over standard EEE (Fig. 12 to 14).
eee_over_load <- function(rows, title, said = NULL, relative = FALSE, more = NULL) {
  if (relative) rows <- eee_relative(rows, "nopa", "load")
  if (nrow(rows) == 0) return(NULL)
  rows$series <- eee_series(rows$setting)
  y <- if (!relative) scale_y_continuous(NULL, limits = c(0, NA), expand = expansion(c(0, 0.05)))
  eee_lines(rows, "load", "CPU load of the job stream, %", if (relative) "times standard EEE", title, said,
    list(if (relative) list(eee_times(rows, "times standard EEE"), expand_limits(y = c(0.98, 1.02))) else y, more))
}
