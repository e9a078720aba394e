# The panels of studies mrev and hpc: columns over cluster sizes, ED2P over time, curves over time.

# 20,000,000,000 as 2\u00b710\u00b9\u2070; short numbers as they are.
cells_power_text <- function(v) {
  digits <- c("\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074", "\u2075", "\u2076", "\u2077", "\u2078", "\u2079")
  one <- function(x) {
    if (is.na(x)) return(NA_character_)
    if (x < 1e5) return(format(x, big.mark = ",", trim = TRUE, drop0trailing = TRUE))
    n <- floor(log10(x) + 1e-9)
    raised <- paste(digits[as.integer(strsplit(paste(n), "")[[1]]) + 1], collapse = "")
    first <- round(x / 10^n)
    paste0(if (first > 1) paste0(first, "\u00b7"), "10", raised)
  }
  vapply(v, one, "")
}

# Logarithmic axis with round ticks, powers of ten where it spans many of them.
cells_log <- function(values, name, axis = scale_y_log10) {
  span <- max(values) / min(values)
  steps <- if (span > 100) 1 else if (span > 5) c(1, 2, 5) else c(1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
  axis(name, expand = expansion(0.08), breaks = sort(as.vector(outer(steps, 10^(-3:18)))), labels = cells_power_text,
    guide = guide_axis(check.overlap = TRUE))
}

# The paper's stated values: hollow diamonds with words beside them. marks: data frame x, y, text.
cells_marks <- function(marks) {
  if (is.null(marks) || nrow(marks) == 0) return(NULL)
  words <- marks[!is.na(marks$text), ]
  list(
    geom_point(aes(.data$x, .data$y), marks, inherit.aes = FALSE, shape = 23, size = 1.9, stroke = 0.4, fill = "white",
      colour = paper_colour),
    if (nrow(words)) geom_text(aes(.data$x, .data$y, label = .data$text), words, inherit.aes = FALSE, hjust = -0.15,
      size = pt(small_size), family = font_family, colour = paper_colour)
  )
}

# Place of a series beside the others around its place on a discrete axis.
cells_beside <- function(place, series, width = 0.8) {
  n <- nlevels(series)
  as.integer(place) + (as.integer(series) - (n + 1) / 2) * width / n
}

# Columns of one metric: a light bar to the median (a tick on a log axis), all runs as points, their range as a line.
# rows: one metric with `place` (factor on the x axis) and `series`; marks: data frame place, series, y, text.
cells_columns <- function(rows, axis_y, title, axis_x = "nodes", log = FALSE, marks = NULL, width = 0.8, more = NULL) {
  if (nrow(rows) == 0) return(NULL)
  rows$x <- cells_beside(rows$place, rows$series, width)
  middle <- summarise_runs(rows, c("x", "series"))
  half <- 0.42 * width / nlevels(rows$series)
  if (!is.null(marks) && nrow(marks)) {
    marks$x <- cells_beside(factor(marks$place, levels(rows$place)), factor(marks$series, levels(rows$series)), width)
    marks <- marks[!is.na(marks$x), ]
  }
  y <- if (log) cells_log(rows$value, axis_y) else scale_y_continuous(axis_y, limits = c(0, NA),
    expand = expansion(c(0, 0.06)), labels = scales::label_comma(drop0trailing = TRUE),
      breaks = scales::breaks_pretty(5))
  ggplot(middle, aes(.data$x, .data$median, colour = .data$series, fill = .data$series, shape = .data$series)) +
    emulated_mark(rows) +
    (if (!log) geom_rect(aes(xmin = .data$x - half, xmax = .data$x + half, ymin = 0, ymax = .data$median), alpha = 0.25,
      colour = NA, show.legend = FALSE)) +
    geom_segment(aes(x = .data$x - half, xend = .data$x + half, yend = .data$median), linewidth = 0.6,
      show.legend = FALSE) +
    geom_linerange(aes(ymin = .data$low, ymax = .data$high), linewidth = 0.3, show.legend = FALSE) +
    geom_point(aes(y = .data$value), rows, size = 1.1, alpha = 0.75) +
    cells_marks(marks) +
    cells_scales(levels(rows$series)) +
    scale_x_continuous(axis_x, breaks = seq_along(levels(rows$place)), labels = levels(rows$place),
      limits = c(0.5, nlevels(rows$place) + 0.5), expand = expansion()) +
    y + labs(title = title) + theme_kvasir() +
    theme(panel.grid.major.x = element_blank(), axis.ticks.x = element_blank()) +
    more
}

# Rows of one metric ready for cells_columns: place and series with the levels of all runs of the figure.
cells_rows <- function(runs, metric, disk = NULL, benchmark = NULL) {
  every <- metric_rows(runs, metric)
  rows <- every
  if (!is.null(disk)) rows <- rows[rows$disk %in% disk, ]
  if (!is.null(benchmark)) rows <- rows[rows$benchmark %in% benchmark, ]
  rows$place <- factor(rows$nodes, sort(unique(every$nodes)))
  rows$series <- cells_series(every$framework)[match(rows$framework, every$framework)]
  rows
}

# Points of which no two are so close, on logarithmic axes, that words beside them would meet.
cells_apart <- function(points) {
  place <- function(v) (log(v) - min(log(v))) / max(diff(range(log(v))), 1e-9)
  x <- place(points$time)
  y <- place(points$value)
  kept <- integer()
  for (i in seq_along(x)) {
    if (!any(abs(x[kept] - x[i]) < 0.09 & abs(y[kept] - y[i]) < 0.09)) kept <- c(kept, i)
  }
  points[kept, ]
}

# ED2P over time, one point a run: colour and shape of the framework, the number of nodes beside the median.
cells_scatter <- function(runs, disk, title) {
  x <- cells_rows(runs, "time.total", disk)
  y <- cells_rows(runs, "ed2p", disk)
  key <- function(d) paste(d$point, d$rep, sep = "\r")
  y$time <- x$value[match(key(y), key(x))]
  y <- y[!is.na(y$time), ]
  if (nrow(y) == 0) return(NULL)
  middle <- merge(stats::aggregate(value ~ framework + nodes, y, stats::median),
    stats::aggregate(time ~ framework + nodes, y, stats::median))
  middle <- cells_apart(middle)
  ggplot(y, aes(.data$time, .data$value, colour = .data$series, fill = .data$series, shape = .data$series)) +
    emulated_mark(y) +
    geom_point(size = 1.2, alpha = 0.75) +
    geom_text(aes(.data$time, .data$value, label = .data$nodes), middle, inherit.aes = FALSE, hjust = -0.8, vjust = 1,
      size = pt(small_size), family = font_family, colour = grey_text) +
    cells_scales(levels(y$series)) +
    cells_log(y$time, "time, s", scale_x_log10) + cells_log(y$value, "ED2P, J s\u00b2") +
    labs(title = title) + theme_kvasir()
}

# Why there are no joules, as the runs say it.
cells_no_power <- function(runs) {
  rows <- runs[runs$metric %in% "energy.total" & runs$source %in% "none" & !is.na(runs$reason), ]
  why <- if (nrow(rows)) paste0(" (", shorten(rows$reason[1]), ")") else ""
  paste0("No energy was measured", why, ".")
}

# Six panels of a benchmark (Fig. 4 to 6): time, ED2P and both against each other, for both disks.
cells_six <- function(runs, marks, paper_gb, ...) {
  panel <- function(metric, disk, letter, what, axis, said = NULL) {
    rows <- cells_rows(runs, metric, disk)
    title <- paste0(letter, "\u2002", what, ", ", disk_label[[disk]])
    cells_columns(rows, axis, title, log = TRUE, marks = if (nrow(rows)) said)
  }
  times <- metric_rows(runs, "time.total")
  joules <- metric_rows(runs, "ed2p")
  disks <- intersect(c("hdd", "ssd"), times$disk)
  letters_of <- function(first) c(hdd = letters[first], ssd = letters[first + 1])
  rows_of <- function(make) lapply(disks, make)
  panels <- rows_of(function(d) panel("time.total", d, letters_of(1)[[d]], "time", "time, s", marks(times, d)))
  if (nrow(joules)) {
    panels <- c(panels, rows_of(function(d) panel("ed2p", d, letters_of(3)[[d]], "ED2P", "ED2P, J s\u00b2")),
      rows_of(function(d) {
        cells_scatter(runs, d, paste0(letters_of(5)[[d]], "\u2002ED2P over time, ", disk_label[[d]]))
      }))
  }
  size <- if (nrow(joules)) "page" else "wide"
  cells_figure(panels, runs, rbind(times, joules), size, cells_runs(times, "tick: median"), ...,
    if (nrow(joules)) "Numbers in e and f: nodes." else cells_no_power(runs), cells_size(runs, paper_gb),
    ncol = max(1, length(disks)))
}

# Mean level per second over hosts (workers unless the trace knows only the mean), one curve a framework and repetition.
cells_curves <- function(trace, domain, metrics, scale = 1) {
  rows <- trace[trace$domain %in% domain & trace$metric %in% metrics, ]
  workers <- !rows$host %in% c("n0", "mean")
  rows <- if (any(workers)) rows[workers, ] else rows[rows$host %in% "mean", ]
  if (nrow(rows) == 0) return(rows)
  by <- c("point", "framework", "disk", "benchmark", "nodes", "rep", "source")
  rows$second <- round(rows$t_s)
  sums <- stats::aggregate(value ~ ., rows[c(by, "second", "host", "value")], sum)
  mean_of <- stats::aggregate(value ~ ., sums[c(by, "second", "value")], mean)
  mean_of$value <- mean_of$value * scale
  mean_of[order(mean_of$point, mean_of$rep, mean_of$second), ]
}
