# Runtimes of the engine's runs below its traces: a row a panel, beside what the paper's ratios predict.

# Runtimes of runs, s; per billion words where data sets differ in their words, so that they can stand on one axis.
# Column `per_words` says which.
runtime_rows <- function(runs) {
  rows <- metric_rows(runs, "runtime")
  rows$per_words <- rep(length(unique(rows$words)) > 1, nrow(rows))
  rows$value <- ifelse(rows$per_words, rows$value / rows$words * 1e9, rows$value)
  rows
}

# rows: from runtime_rows(), with `letter`; caps: levels as in the panels; paper: data frame letter, low, high, text:
# what the paper's ratio predicts from the measured baseline (s), or NULL. NULL if no run has a runtime.
runtime_strip <- function(rows, caps, paper = NULL) {
  if (nrow(rows) == 0) return(NULL)
  rows$level <- match(rows$cap_w, caps)
  rows <- rows[!is.na(rows$level), ]
  rows$colour <- shade(colour_of(rows$app), rows$level)
  step <- if (length(caps) > 1) 0.24 else 0
  tick <- 0.3 - step / 2
  all_letters <- rev(levels(rows$letter))
  height_of <- function(letter, level) match(letter, all_letters) + (mean(seq_along(caps)) - level) * step
  rows$y <- height_of(rows$letter, rows$level)
  middle <- summarise_runs(rows, c("y", "colour"))
  rows$shape <- level_filled[pmin(rows$level, 3)]
  ggplot(rows, aes(.data$value, .data$y, colour = .data$colour)) +
    geom_segment(aes(x = .data$low, xend = .data$high, yend = .data$y, y = .data$y), middle, linewidth = 0.35) +
    geom_segment(aes(x = .data$median, xend = .data$median, y = .data$y - tick, yend = .data$y + tick),
      middle, linewidth = 0.6) +
    geom_point(aes(shape = .data$shape, fill = .data$colour), size = 1, stroke = 0.2, alpha = 0.65) +
    paper_layer(paper, rows, height_of) +
    scale_colour_identity() + scale_fill_identity() + scale_shape_identity() +
    scale_x_continuous(if (rows$per_words[1]) "runtime, s per billion words" else "runtime, s", limits = c(0, NA),
      expand = expansion(c(0, 0.04)), breaks = scales::breaks_pretty(6)) +
    scale_y_continuous(NULL, breaks = seq_along(all_letters), labels = all_letters,
      limits = c(0.5, length(all_letters) + 0.5), expand = expansion()) +
    coord_cartesian(clip = "off") +
    theme_kvasir() +
    theme(panel.grid.major.y = element_blank(), axis.ticks.y = element_blank(),
      axis.text.y = element_text(size = base_size))
}

# Hollow diamonds at the ends of the range the paper states, with its words in the widest gap of the row.
paper_layer <- function(paper, rows, height_of) {
  if (is.null(paper) || nrow(paper) == 0) return(NULL)
  widest <- max(rows$value, paper$high)
  gap <- widest * 0.015
  for (i in seq_len(nrow(paper))) {
    row <- rows$value[rows$letter == paper$letter[i]]
    drawn <- range(row, paper$low[i], paper$high[i])
    # Beside the diamonds, or else outside of all that the row holds.
    room <- c(paper$low[i] - max(0, row[row <= paper$low[i]]), min(widest, row[row >= paper$high[i]]) - paper$high[i],
      drawn[1], widest - drawn[2])
    best <- which.max(room)
    paper$at[i] <- c(paper$low[i] - gap, paper$high[i] + gap, drawn[1] - gap, drawn[2] + gap)[best]
    paper$side[i] <- best %% 2
  }
  paper$y <- height_of(paper$letter, 1)
  ends <- rbind(data.frame(x = paper$low, y = paper$y), data.frame(x = paper$high, y = paper$y))
  list(
    geom_segment(aes(x = .data$low, xend = .data$high, y = .data$y, yend = .data$y), paper, inherit.aes = FALSE,
      linewidth = 0.25, colour = paper_colour),
    geom_point(aes(.data$x, .data$y), unique(ends), inherit.aes = FALSE, shape = 23, size = 1.7, stroke = 0.35,
      fill = "white", colour = paper_colour),
    geom_text(aes(.data$at, .data$y, label = .data$text, hjust = .data$side), paper, inherit.aes = FALSE,
      size = pt(small_size), family = font_family, colour = paper_colour)
  )
}

# A row for `paper`: the paper's ratio range applied to the median runtime of a measured baseline; no row without one.
paper_ratio <- function(runs, base, letter, ratio, text) {
  rows <- runtime_rows(runs)
  for (column in names(base)) rows <- rows[rows[[column]] %in% base[[column]], ]
  rows <- rows[rows$cap_w %in% max(rows$cap_w, -Inf), ]
  if (nrow(rows) == 0) return(NULL)
  at <- stats::median(rows$value)
  data.frame(letter = letter, low = at * min(ratio), high = at * max(ratio), text = text)
}

paper_note <- function(paper) {
  if (nrow(paper) == 0) "" else "Hollow diamonds: the ratio the paper states, applied to the median measured here."
}

runtime_note <- function(rows) {
  if (nrow(rows) == 0) return("No run has a runtime.")
  n <- table(paste(rows$point))
  paste0("Runtime: all n = ", n_text(as.integer(n)), " runs as points, tick: median, line: ", interval_text(n), ".")
}
