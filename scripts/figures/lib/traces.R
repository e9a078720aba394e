# The figures of the engine's runs.
#
# The paper's main kind of figure: power over time, one panel per setting, one curve per cap and domain, with the
# runtimes of all repetitions below. Without a power source the same panels show the CPU use of the ranks.

# More samples than this per curve cannot be told apart on paper.
most_samples <- 800

# A curve of fewer samples than this says nothing of what happens over time.
least_samples <- 10

# Which rows are drawn. Returns list(rows, power, axis, short). Power wins over CPU use where both exist; short: panels
# whose curves all have too few samples.
trace_view <- function(trace) {
  trace <- trace[!is.na(trace$value) & !is.na(trace$t_s), ]
  power <- trace[trace$metric %in% "power" & trace$domain %in% c("package", "dram"), ]
  cpu <- trace[trace$metric %in% "cpu" & trace$domain %in% "ranks", ]
  rows <- sum_hosts(if (nrow(power)) power else cpu)
  long <- enough_samples(rows)
  list(rows = long, power = nrow(power) > 0, short = setdiff(rows$panel, long$panel),
    axis = if (nrow(power)) "average power, W" else "CPU use of all ranks, cores")
}

# The rows of curves that have samples enough.
enough_samples <- function(rows) {
  curve <- paste(rows$point, rows$rep, rows$domain, sep = "\r")
  rows[curve %in% names(which(table(curve) >= least_samples)), ]
}

# Rows of the moments at which as many hosts have a sample as ever in that curve: hosts are sampled at times of their
# own, and a mean or sum over some of them would be a dip that nobody saw.
complete_moments <- function(rows, curve, moment) {
  seen <- stats::ave(rows$value, paste(curve, moment), FUN = length)
  rows[seen == stats::ave(seen, curve, FUN = max), ]
}

# Several hosts of one run add up; samples of one tick of the sampler belong together.
sum_hosts <- function(rows) {
  rows$tick <- round(rows$t_s * 1000 / rows$sample_ms)
  key <- paste(rows$point, rows$rep, rows$domain, rows$tick, sep = "\r")
  if (!anyDuplicated(key) || length(unique(rows$host)) < 2) return(rows)
  path <- attr(rows, "path")
  sample <- paste(key, rows$host, sep = "\r")
  rows$value <- stats::ave(rows$value, sample)
  rows <- rows[!duplicated(sample), ]
  rows <- complete_moments(rows, paste(rows$point, rows$rep, rows$domain, sep = "\r"), rows$tick)
  attr(rows, "path") <- path
  key <- paste(rows$point, rows$rep, rows$domain, rows$tick, sep = "\r")
  sums <- tapply(rows$value, key, sum)
  rows <- rows[!duplicated(key), ]
  rows$value <- as.numeric(sums[unique(key)])
  rows
}

# Samples of the mean host with what hosts that share processors use of them together: the sum of their shares, and
# what is left of one machine as idle.
of_machine <- function(trace, hosts) {
  if (hosts == 1) return(trace)
  is <- function(...) trace$domain %in% "cpu" & trace$metric %in% c(...)
  summed <- trace$domain %in% c("cpu", "load")
  trace$value[summed] <- trace$value[summed] * hosts
  rest <- pmax(1 - tapply(trace$value[is("user", "system")], trace$t_s[is("user", "system")], sum), 0)
  left <- as.numeric(rest[as.character(trace$t_s[is("wait")])])
  trace$value[is("wait")] <- pmin(trace$value[is("wait")], left)
  trace$value[is("idle")] <- (left - trace$value[is("wait")])[match(trace$t_s[is("idle")], trace$t_s[is("wait")])]
  trace
}

# Keeps the extremes: of each of most_samples / 2 time bins the lowest and the highest sample.
thin_curve <- function(curve) {
  curve <- curve[order(curve$t_s), ]
  if (nrow(curve) <= most_samples) return(curve)
  bin <- cut(curve$t_s, most_samples / 2, labels = FALSE)
  keep <- unlist(lapply(split(seq_len(nrow(curve)), bin), function(i) {
    i[c(which.min(curve$value[i]), which.max(curve$value[i]))]
  }))
  curve[sort(unique(keep)), ]
}

# Samples finer than this are drawn thin, their means over the paper's standard period strong: the eye can then compare
# them with the curves sampled at that period.
fine_ms <- 20
standard_ms <- 100
is_fine <- function(rows) rows$sample_ms < fine_ms

# Fine readings of CPU time from the kernel's accounting, which is brought up to date only at its ticks, 4 ms apart.
is_blurred <- function(rows) is_fine(rows) & rows$metric %in% "cpu" & rows$source %in% "measured:procfs"
first_rep <- function(rows) rows$rep == stats::ave(rows$rep, rows$point, FUN = min)

# Means over 100 ms of the finely sampled curves of first repetitions; each stands at the last sample of its 100 ms.
smooth_fine <- function(rows) {
  rows <- rows[first_rep(rows) & is_fine(rows), ]
  if (nrow(rows) == 0) return(rows)
  slot <- ceiling(rows$t_s * 1000 / standard_ms)
  key <- paste(rows$curve, slot, sep = "\r")
  rows$value <- stats::ave(rows$value, key)
  rows$t_s <- stats::ave(rows$t_s, key, FUN = max)
  rows[!duplicated(key), ]
}

# Puts each row into its panel. panels: data frame with the columns `by` and `label`. Rows of no panel are dropped.
into_panels <- function(rows, panels, by) {
  at <- match(key_of(rows, by), key_of(panels, by))
  rows$panel <- factor(panels$label[at], panels$label)
  rows$letter <- factor(panels$letter[at], panels$letter)
  path <- attr(rows, "path")
  rows <- rows[!is.na(at), ]
  attr(rows, "path") <- path
  rows
}

# Letters for panels, in reading order: a, b, c, ...
with_letters <- function(panels) {
  panels$letter <- letters[seq_len(nrow(panels))]
  panels$label <- paste0(panels$letter, "\u2002", panels$label)
  panels
}

# The caps that were run, highest first: the first is drawn in the colour of the application.
cap_levels <- function(...) sort(unique(c(...)), decreasing = TRUE)

# rows: from trace_view(), with panel; panels may share the range of the time axis (column `xgroup`).
# limit: reference line in W with its text, drawn only over watts.
draw_traces <- function(view, panels, caps, ncol, limit = NULL) {
  rows <- view$rows
  rows$colour <- shade(colour_of(rows$app), match(rows$cap_w, caps))
  rows$cap <- factor(rows$cap_w, caps)
  rows$curve <- paste(rows$point, rows$rep, rows$domain)
  smooth <- smooth_fine(rows)
  rows <- do.call(rbind, lapply(split(rows, rows$curve), thin_curve))
  strong <- rbind(rows[first_rep(rows) & !is_fine(rows), ], smooth)
  weak <- rows[first_rep(rows) == is_fine(rows) & !is_blurred(rows), ]
  panels$panel <- factor(panels$label, panels$label)
  ends <- tapply(rows$t_s, factor(panels$xgroup[match(rows$panel, panels$panel)]), max)
  panels$end <- as.numeric(ends[as.character(panels$xgroup)])
  panels$end[is.na(panels$end)] <- max(rows$t_s)
  empty <- panels[!panels$panel %in% rows$panel, ]
  empty$text <- ifelse(empty$panel %in% view$short, paste("fewer than", least_samples, "samples"), "no samples")
  ggplot(rows, aes(.data$t_s, .data$value, group = .data$curve, colour = .data$colour, linetype = .data$cap)) +
    emulated_mark(rows, "panel") +
    geom_blank(aes(.data$end, 0), panels, inherit.aes = FALSE) +
    expand_limits(x = 0) +
    limit_layer(limit, panels, view$power) +
    geom_line(data = weak, linewidth = 0.2, alpha = 0.35) +
    geom_line(data = strong, linewidth = 0.45) +
    domain_labels(strong, panels, view$power) +
    geom_text(aes(.data$end / 2, 0, label = .data$text), empty, inherit.aes = FALSE, vjust = -2,
      size = pt(base_size), family = font_family, colour = grey_text) +
    facet_wrap(vars(.data$panel), ncol = ncol, scales = "free_x", drop = FALSE) +
    scale_colour_identity() +
    scale_linetype_manual("power cap, W", values = level_linetype[seq_along(caps)],
      guide = cap_legend(caps)) +
    scale_x_continuous("time, s", expand = expansion(c(0, 0.03)), breaks = clear_of_the_end) +
    scale_y_continuous(view$axis, limits = c(0, NA), expand = expansion(c(0, 0.08)),
      breaks = scales::breaks_pretty(4)) +
    theme_kvasir()
}

# The caps differ in lightness within the hue of each panel's application, so the keys are grey.
cap_legend <- function(caps) {
  if (length(caps) < 2) return("none")
  guide_legend(override.aes = list(colour = shade("#B0B0B0", seq_along(caps)), linewidth = 0.6))
}

limit_layer <- function(limit, panels, power) {
  if (is.null(limit) || !power) return(NULL)
  list(
    expand_limits(y = limit$value * 1.12),
    geom_hline(yintercept = limit$value, linewidth = 0.25, linetype = "22", colour = paper_colour),
    geom_text(aes(.data$end, limit$value, label = limit$text), panels[1, ], inherit.aes = FALSE, hjust = 1,
      vjust = -0.5, size = pt(small_size), family = font_family, colour = paper_colour)
  )
}

# Names the two curves of a pair in the first panel that has them: behind the end of the curve where there is room,
# else below the processor's and above the DRAM's curve.
domain_labels <- function(rows, panels, power) {
  if (!power) return(NULL)
  first <- panels$panel[panels$panel %in% rows$panel][1]
  rows <- rows[rows$panel == first, ]
  width <- panels$end[match(first, panels$panel)]
  stop_at <- max(rows$t_s)
  behind <- stop_at < 0.75 * width
  place <- do.call(rbind, lapply(split(rows, rows$domain), function(d) {
    dram <- d$domain[1] == "dram"
    y <- if (behind) stats::median(d$value) else if (dram) max(d$value) else stats::quantile(d$value, 0.1)
    data.frame(text = if (dram) "DRAM" else "processor", y = y, down = if (behind) 0.5 else if (dram) -0.6 else 2.2)
  }))
  place$panel <- first
  place$x <- if (behind) stop_at + 0.015 * width else width
  geom_text(aes(.data$x, .data$y, label = .data$text, vjust = .data$down), place, inherit.aes = FALSE,
    hjust = if (behind) 0 else 1, size = pt(base_size), family = font_family, colour = grey_text)
}

# The whole figure. runs, trace: tables; panels: data frame (columns `by`, label, xgroup); strip: what runtime_strip()
# takes besides (paper marks). heights: of traces and strip, relative. Returns list(plot, size).
trace_figure <- function(runs, trace, panels, by, ncol, size, heights, limit = NULL, paper = NULL, notes = "") {
  panels <- with_letters(panels)
  runs <- into_panels(runs, panels, by)
  view <- trace_view(into_panels(trace, panels, by))
  runtimes <- runtime_rows(runs)
  if (!nrow(runtimes)) need_rows(view$rows, trace, "a sample of power or of CPU use, and no run has a runtime")
  above <- emulated_note(view$rows$source)
  if (!view$power && nrow(view$rows)) {
    above <- paste0(
      "Not the paper\u2019s watts", capped_text(runs),
      ", but the CPU use of the ranks: no power source on this machine (", power_reason(runs), ")."
    )
  }
  caps <- cap_levels(view$rows$cap_w, runtimes$cap_w)
  plot <- if (nrow(view$rows)) draw_traces(view, panels, caps, ncol, limit)
  if (is.null(plot)) {
    none <- if (length(view$short)) paste("No run has", least_samples, "samples over time.") else
      "No run has samples over time."
    notes <- c(paste0(none, " ", and_text(panels$label), "."), notes)
  }
  below <- runtime_strip(runtimes, caps, paper)
  text <- caption(size,
    repetition_note(view), runtime_note(runtimes), placement_text(runs),
    if (!is.null(paper) && nrow(runtimes)) paper_note(paper) else "", notes, scale_text(runs), missing_text(runs),
    thinned_note(view), source_text(c(view$rows$source, runtimes$source)))
  parts <- Filter(Negate(is.null), list(plot, below))
  plot <- wrap_plots(parts, ncol = 1, heights = if (length(parts) == 2) heights) +
    plot_annotation(subtitle = subtitle(size, above), caption = text, theme = theme_kvasir())
  list(plot = plot, size = size)
}

# What of the paper's caps is missing, to go on with after its watts.
capped_text <- function(runs) {
  caps <- length(unique(runs$cap_w[runs$status %in% "ok"]))
  if (caps > 1) "" else " under three caps"
}

repetition_note <- function(view) {
  rows <- view$rows
  fine <- is_fine(rows)
  blurred <- any(is_blurred(rows))
  several <- anyDuplicated(unique(rows[!fine, c("point", "rep")])$point) > 0
  c(
    if (several) "Strong line: first repetition that ended well, thin lines: the others.",
    if (any(fine)) paste0(
      "At ", and_text(sort(unique(rows$sample_ms[fine]))), " ms: ",
      if (blurred) "of the first repetition, means over " else
        "the samples of the first repetition (thin) and their means over ",
      standard_ms, " ms",
      if (blurred) ": readings of CPU time so close together swing with the moment of reading." else " (strong)."
    )
  )
}

thinned_note <- function(view) {
  rows <- view$rows[!is_blurred(view$rows), ]
  longest <- max(0, table(paste(rows$point, rows$rep, rows$domain)))
  if (longest <= most_samples) return("")
  paste0("Curves of more than ", most_samples, " samples are drawn through the lowest and highest sample of ",
    most_samples / 2, " time bins.")
}

# A label at the very end of the axis would run into the next panel's zero.
clear_of_the_end <- function(limits) {
  at <- scales::breaks_pretty(5)(limits)
  at[at <= max(limits) - 0.05 * diff(limits)]
}

# The unique words of the paper's data set that stand for those of a row: as many as give the same combinability rate.
paper_scale_unique <- function(rows) rows$unique * rows$ranks / rows$words * 4e9 / 72

# Runs of a sweep over send buffers and those of an exchange that adapts, in one table with the columns of a line: its
# name, colour, shape and type. Of the second only what the first has not.
exchange_lines <- function(buffering, adaptive) {
  if (nrow(buffering) == 0) return(buffering)
  adaptive <- adaptive[adaptive$strategy %in% "adaptive", ]
  level <- pmin(match(buffering$buffer_mb, sort(unique(buffering$buffer_mb))), 3)
  buffering$line <- paste(buffering$buffer_mb, "MB")
  buffering$colour <- shade(colour_of(buffering$app), level)
  buffering$shape <- level_filled[level]
  buffering$linetype <- level_linetype[level]
  if (nrow(adaptive) == 0) return(buffering)
  looks <- looks_of(adaptive$strategy)
  adaptive$line <- looks$label
  adaptive[c("colour", "shape", "linetype")] <- looks[c("colour", "shape", "linetype")]
  shared <- intersect(names(buffering), names(adaptive))
  both <- rbind(buffering[shared], adaptive[shared])
  attr(both, "path") <- attr(buffering, "path")
  both
}

# A panel of a sweep: a metric over the unique words, one line per setting, all repetitions as points.
# rows: rows of one metric with column x and those of exchange_lines(); axis: y title; options: paper (data frame x: the
# paper's optimum), lowest (ring the lowest median of each line), top (data frame x, text: names above the axis), bottom
# (name the x axis).
sweep_panel <- function(rows, axis, paper = NULL, lowest = FALSE, top = NULL, bottom = FALSE) {
  middle <- summarise_runs(rows, c("line", "x", "colour", "linetype"))
  best <- do.call(rbind, lapply(split(middle, middle$line), function(d) d[which.min(d$median), ]))
  # A line has a gap where other lines have a point and it has none: it was not measured there.
  looks <- unique(middle[c("line", "colour", "linetype")])
  gapped <- merge(merge(looks, data.frame(x = unique(middle$x))), middle, all.x = TRUE)
  ggplot(middle, aes(.data$x, .data$median, colour = .data$colour)) +
    if_layer(paper, geom_vline(aes(xintercept = .data$x), paper, linewidth = 0.25, linetype = "22")) +
    geom_linerange(aes(ymin = .data$low, ymax = .data$high), linewidth = 0.35) +
    geom_line(aes(group = .data$line, linetype = .data$linetype), gapped, linewidth = 0.45, na.rm = TRUE) +
    geom_point(aes(y = .data$value, fill = .data$colour, shape = .data$shape), rows, size = 1, stroke = 0.2,
      alpha = 0.6) +
    if_layer(if (lowest) best, geom_point(data = best, shape = 21, size = 2.9, stroke = 0.4, fill = NA)) +
    line_labels(middle) +
    emulated_mark(rows) +
    scale_colour_identity() + scale_fill_identity() + scale_shape_identity() + scale_linetype_identity() +
    scale_x_log10(if (bottom) "unique words among the paper\u2019s 4 billion, at the same combinability rate",
      labels = scales::label_comma(), breaks = decades(rows$x), expand = expansion(c(0.03, 0.1)),
      sec.axis = top_axis(top)) +
    scale_y_log10(axis, labels = plain_text, breaks = scales::breaks_log(5), expand = expansion(0.08)) +
    theme_kvasir() +
    theme(axis.ticks.x.top = element_line(linewidth = 0.25, colour = grey_text), axis.line.x.top = element_blank())
}

# Powers of ten inside the data: a tick beyond the last point would stand under the labels of the lines.
decades <- function(x) 10^seq(ceiling(log10(min(x))), floor(log10(max(x))))

if_layer <- function(data, layer) if (is.null(data) || nrow(data) == 0) NULL else layer

top_axis <- function(top) {
  if (is.null(top)) return(waiver())
  sec_axis(~., name = "unique words of the text here", breaks = top$x, labels = top$text,
    guide = guide_axis(n.dodge = 3))
}

# Names each line at its right end; names of lines that end close together are moved apart.
line_labels <- function(middle) {
  ends <- do.call(rbind, lapply(split(middle, middle$line), function(d) d[which.max(d$x), ]))
  span <- diff(range(log10(middle$median)))
  ends$y <- 10^spread_labels(log10(ends$median), max(span, 1e-9) * 0.12)
  geom_text(aes(.data$x * 1.25, .data$y, label = .data$line), ends, hjust = 0,
    size = pt(base_size), family = font_family)
}
