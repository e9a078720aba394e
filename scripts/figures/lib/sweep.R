# Panels of a sweep: a metric over the unique words, one line per send buffer, all repetitions as points.

# rows: rows of one metric; axis: y title; options: paper (data frame x, text: the paper's optimum), lowest (ring the
# lowest median of each buffer), log_y, top (data frame x, text: names above the axis), bottom (name the x axis).
sweep_panel <- function(rows, axis, paper = NULL, lowest = FALSE, log_y = FALSE, top = NULL, bottom = FALSE) {
  buffers <- sort(unique(rows$buffer_mb))
  rows$level <- match(rows$buffer_mb, buffers)
  rows$colour <- shade(colour_of(rows$app), rows$level)
  rows$shape <- level_filled[pmin(rows$level, 3)]
  middle <- summarise_runs(rows, c("buffer_mb", "unique", "colour", "level"))
  middle$line <- level_linetype[pmin(middle$level, 3)]
  best <- do.call(rbind, lapply(split(middle, middle$buffer_mb), function(d) d[which.min(d$median), ]))
  ggplot(middle, aes(.data$unique, .data$median, colour = .data$colour)) +
    if_layer(paper, geom_vline(aes(xintercept = .data$x), paper, linewidth = 0.25, linetype = "22")) +
    geom_linerange(aes(ymin = .data$low, ymax = .data$high), linewidth = 0.35) +
    geom_line(aes(group = .data$buffer_mb, linetype = .data$line), linewidth = 0.45) +
    geom_point(aes(y = .data$value, fill = .data$colour, shape = .data$shape), rows, size = 1, stroke = 0.2,
      alpha = 0.6) +
    if_layer(if (lowest) best, geom_point(data = best, shape = 21, size = 2.9, stroke = 0.4, fill = NA)) +
    buffer_labels(middle, log_y) +
    emulated_mark(rows) +
    scale_colour_identity() + scale_fill_identity() + scale_shape_identity() + scale_linetype_identity() +
    scale_x_log10(if (bottom) "unique words in the data set", labels = scales::label_comma(),
      breaks = decades(rows$unique), expand = expansion(c(0.03, 0.1)), sec.axis = top_axis(top)) +
    sweep_y(axis, log_y) +
    theme_kvasir() +
    theme(axis.ticks.x.top = element_line(linewidth = 0.25, colour = grey_text), axis.line.x.top = element_blank())
}

# Powers of ten inside the data: a tick beyond the last point would stand under the labels of the lines.
decades <- function(x) 10^seq(ceiling(log10(min(x))), floor(log10(max(x))))

if_layer <- function(data, layer) if (is.null(data) || nrow(data) == 0) NULL else layer

top_axis <- function(top) {
  if (is.null(top)) return(waiver())
  sec_axis(~., name = "unique words in the paper's data set (of 4 billion)", breaks = top$x, labels = top$text,
    guide = guide_axis(n.dodge = 2))
}

sweep_y <- function(axis, log_y) {
  if (log_y) return(scale_y_log10(axis, labels = scales::label_comma(), expand = expansion(0.08)))
  scale_y_continuous(axis, limits = c(0, NA), expand = expansion(c(0, 0.1)), breaks = scales::breaks_pretty(4))
}

# Names each line at its right end; names of lines that end close together are moved apart.
buffer_labels <- function(middle, log_y) {
  ends <- do.call(rbind, lapply(split(middle, middle$buffer_mb), function(d) d[which.max(d$unique), ]))
  place <- if (log_y) log10(ends$median) else ends$median
  span <- if (log_y) diff(range(log10(middle$median))) else max(middle$median)
  moved <- spread_labels(place, max(span, 1e-9) * 0.11)
  ends$y <- if (log_y) 10^moved else moved
  geom_text(aes(.data$unique * 1.25, .data$y, label = paste(.data$buffer_mb, "MB")), ends, hjust = 0,
    size = pt(base_size), family = font_family)
}
