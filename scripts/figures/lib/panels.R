# Panels and the figures made of them: columns over named places, lines over a number, marks of the paper's values.

# Draws diagonal lines and the word EMULATED across a panel. Data: one row per panel, column `profile`.
GeomEmulated <- ggproto("GeomEmulated", Geom, # nolint: object_name_linter. ggplot2's own naming.
  required_aes = "profile",
  draw_key = draw_key_blank,
  draw_panel = function(data, panel_params, coord) {
    at <- seq(0, 400, by = 4)
    grobTree(
      segmentsGrob(
        unit(at - 200, "mm"), unit(0, "npc"), unit(at, "mm"), unit(0, "npc") + unit(200, "mm"),
        gp = gpar(col = "#D6D6D6", lwd = 0.5)
      ),
      textGrob(paste0("EMULATED", data$profile[1]),
        rot = 14,
        gp = gpar(col = warn_colour, alpha = 0.55, fontsize = if (nzchar(data$profile[1])) 11 else 8,
          fontface = "bold", fontfamily = font_family)
      )
    )
  }
)

# The emulation mark for a faceted plot: a layer for the panels that draw emulated rows. rows: the rows drawn;
# facet: name of the facet column, or NULL; narrow: panels without room for the profile, which the first line names.
emulated_mark <- function(rows, facet = NULL, narrow = FALSE) {
  rows <- rows[startsWith(rows$source, "emulated:"), ]
  if (nrow(rows) == 0) return(NULL)
  panels <- if (is.null(facet)) rows[1, 0, drop = FALSE] else unique(rows[facet])
  profiles <- paste(emulated_profiles(rows$source), collapse = ", ")
  panels$profile <- if (narrow) "" else paste0(" (", profiles, ")")
  layer(
    geom = GeomEmulated, stat = "identity", position = "identity", data = panels,
    mapping = aes(profile = .data$profile), inherit.aes = FALSE, show.legend = FALSE
  )
}

# Words in a panel.
words_layer <- function(mapping, data, ...) {
  geom_text(mapping, data, inherit.aes = FALSE, family = font_family, ...)
}

# The paper's stated values: hollow diamonds with words. marks: data frame x, y, text, hjust, vjust; rows with text NA
# have no words. Below the points they leave visible what was found here.
paper_marks <- function(marks) {
  if (is.null(marks) || nrow(marks) == 0) return(NULL)
  if (is.null(marks$hjust)) marks$hjust <- -0.1
  if (is.null(marks$vjust)) marks$vjust <- 0.5
  words <- marks[!is.na(marks$text), ]
  list(
    geom_point(aes(.data$x, .data$y), marks, inherit.aes = FALSE, shape = 23, size = 1.9, stroke = 0.4, fill = "white",
      colour = paper_colour),
    if (nrow(words)) words_layer(aes(.data$x, .data$y, label = .data$text, hjust = .data$hjust, vjust = .data$vjust),
      words, size = pt(small_size), colour = paper_colour, lineheight = 1)
  )
}

# Linear axis from zero; from_zero = FALSE: around the values.
linear_axis <- function(name, from_zero = TRUE, labels = waiver()) {
  scale_y_continuous(name, limits = if (from_zero) c(0, NA), expand = expansion(c(if (from_zero) 0 else 0.1, 0.06)),
    labels = labels, breaks = scales::breaks_pretty(5))
}

# The same for values of any size: 20,000.
count_axis <- function(name) linear_axis(name, labels = scales::label_comma(drop0trailing = TRUE))

plain_text <- function(v) format(v, trim = TRUE, drop0trailing = TRUE)
plain_log_axis <- function(name) scale_y_log10(name, expand = expansion(0.06), labels = plain_text)
plain_log_axis_x <- function() scale_x_log10(expand = expansion(0.06), labels = plain_text)

# Logarithmic axis with round ticks, powers of ten where it spans many of them.
log_axis <- function(values, name, axis = scale_y_log10) {
  span <- max(values) / min(values)
  steps <- if (span > 100) 1 else if (span > 5) c(1, 2, 5) else c(1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
  axis(name, expand = expansion(0.08), breaks = sort(as.vector(outer(steps, 10^(-3:18)))), labels = power_of_ten_text,
    guide = guide_axis(check.overlap = TRUE))
}

# Axis of ratios to something that is 1: logarithmic where one is more than twice it.
ratio_axis <- function(rows, name) {
  if (!nrow(rows) || max(rows$value) < 2) return(scale_y_continuous(name, expand = expansion(0.08)))
  wide <- max(rows$value) / min(rows$value) > 6
  marks <- if (wide) outer(c(1, 2, 5), 10^(-2:3)) else c(0.2, 0.3, 0.5, 0.7, 1, 1.2, 1.5, 2, 3, 4, 5)
  scale_y_log10(name, expand = expansion(c(0.08, 0.06)), breaks = sort(marks), labels = plain_text)
}

# A line across a panel: what values are relative to.
# No axis zooms in on less than 2 % to either side, which is what the paper's runs vary by.
unity_line <- function() {
  list(geom_hline(yintercept = 1, linewidth = 0.3, colour = grey_text), expand_limits(y = c(0.98, 1.02)))
}

# Logarithmic x axis in microseconds, with ticks people read.
microseconds_axis <- function(name) {
  scale_x_log10(name, breaks = 10^(0:5), labels = c("1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms"),
    expand = expansion(c(0.04, 0.08)))
}

# Stall times: 0 stands left of the shortest, the others on a logarithmic scale.
stall_axis <- function(runs) {
  us <- sort(unique(runs$stall_us))
  squeeze <- scales::trans_new("stall", function(x) log10(x + 5), function(y) 10^y - 5)
  label <- ifelse(us >= 1000, paste(us / 1000, "ms"), ifelse(us == 0, "0", paste(us, "µs")))
  scale_x_continuous(trans = squeeze, breaks = us, labels = label, expand = expansion(0.05),
    guide = guide_axis(check.overlap = TRUE))
}

# The scenarios of simulations in the paper's order. On an axis the workload stands once, below its numbers of nodes.
scenario_factor <- function(workload, nodes) {
  all <- unique(data.frame(workload, nodes)[order(match(workload, c("small", "batch", "terasort")), nodes), ])
  factor(paste0(workload, "\n", nodes), paste0(all$workload, "\n", all$nodes))
}

place_labels <- function(levels) {
  parts <- strsplit(levels, "\n", fixed = TRUE)
  if (!all(grepl("^(small|batch|terasort)\n[0-9]+$", levels))) return(levels)
  workload <- vapply(parts, `[`, "", 1)
  middle <- vapply(unique(workload), function(w) ceiling(mean(which(workload == w))), 0)
  paste0(vapply(parts, `[`, "", 2), "\n", ifelse(seq_along(levels) %in% middle, workload, ""))
}

# Discrete x axis of columns: room for the series of each place.
place_axis <- function(places, name = NULL) {
  scale_x_continuous(name, breaks = seq_along(places), labels = place_labels(places),
    limits = c(0.5, length(places) + 0.5), expand = expansion())
}

# Theme of panels with such an axis.
theme_places <- function() {
  theme_kvasir() + theme(panel.grid.major.x = element_blank(), axis.ticks.x = element_blank())
}

# Place of a series beside the others around its place on a discrete axis; both are factors.
beside <- function(place, series, fine = FALSE) {
  n <- nlevels(series)
  as.integer(place) + (as.integer(series) - (n + 1) / 2) * weights(fine)$width / n
}

# Marks at a place and series of the rows of a panel; those at others are dropped.
marks_beside <- function(marks, rows, fine = FALSE) {
  if (is.null(marks)) return(NULL)
  marks$x <- beside(factor(marks$place, levels(rows$place)), factor(marks$series, levels(rows$series)), fine)
  marks[!is.na(marks$x), ]
}

# Half of the width of a column or tick.
half_column <- function(series, fine = FALSE) 0.42 * weights(fine)$width / nlevels(series)

series_aes <- function(x, y) {
  aes(x = {{ x }}, y = {{ y }}, colour = .data$series, fill = .data$series, shape = .data$series)
}

# Columns: a light bar to the median (a tick alone without bars), all runs as points, their range as a line.
# rows: one metric with `place` (factor on the x axis) and `series` (series_factor()); axis: scale of the y axis;
# marks: the paper's values, below the points; more: further layers, scales and facets; fine: see weights().
columns_panel <- function(rows, axis, title = NULL, axis_x = NULL, bars = TRUE, marks = NULL, more = NULL,
                          facet = NULL, fine = FALSE) {
  if (nrow(rows) == 0) return(NULL)
  weight <- weights(fine)
  rows$x <- beside(rows$place, rows$series, fine)
  middle <- summarise_runs(rows, c("x", "series", facet))
  half <- half_column(rows$series, fine)
  ggplot(middle, series_aes(.data$x, .data$median)) +
    emulated_mark(rows) +
    (if (bars) geom_rect(aes(xmin = .data$x - half, xmax = .data$x + half, ymin = 0, ymax = .data$median), alpha = 0.25,
      colour = NA, show.legend = FALSE)) +
    paper_marks(marks) +
    geom_segment(aes(x = .data$x - half, xend = .data$x + half, yend = .data$median), linewidth = weight$tick,
      show.legend = FALSE) +
    geom_linerange(aes(ymin = .data$low, ymax = .data$high), linewidth = 0.3, show.legend = FALSE) +
    geom_point(aes(y = .data$value), rows, size = weight$point, stroke = weight$stroke, alpha = 0.75) +
    series_scales(levels(rows$series), fine) +
    place_axis(levels(rows$place), axis_x) +
    axis +
    labs(title = title) +
    theme_places() +
    more
}

# Lines through the medians of the seeds, all seeds as points. rows: one metric with column `series`; x: name of the
# column on the x axis.
lines_panel <- function(rows, x, axis_x, axis_y, title = NULL, marks = NULL, more = NULL) {
  if (nrow(rows) == 0) return(NULL)
  rows$x <- rows[[x]]
  middle <- summarise_runs(rows, c("x", "series"))
  ggplot(middle, series_aes(.data$x, .data$median)) +
    geom_linerange(aes(ymin = .data$low, ymax = .data$high), linewidth = 0.3, show.legend = FALSE) +
    geom_line(aes(linetype = .data$series), linewidth = 0.45) +
    paper_marks(marks) +
    geom_point(aes(y = .data$value), rows, size = 1, stroke = 0.3, alpha = 0.75) +
    series_scales(levels(rows$series), fine = TRUE) +
    labs(x = axis_x, y = axis_y, title = title) +
    theme_kvasir() +
    more
}

# The shallow buffers of a table over the CPU load: deep ones are there for one claim.
shallow_only <- function(runs) runs[runs$buffer %in% c("shallow", NA), ]

# Lines of a metric over the CPU load by setting; relative: over standard EEE.
load_panel <- function(rows, title, marks = NULL, relative = FALSE, more = NULL) {
  if (relative) rows <- relative_to(rows, "nopa", "load")
  if (nrow(rows) == 0) return(NULL)
  rows$series <- series_factor(rows$setting)
  over <- if (relative) "times standard EEE"
  axis <- if (relative) list(ratio_axis(rows, over), expand_limits(y = c(0.98, 1.02))) else
    scale_y_continuous(NULL, limits = c(0, NA), expand = expansion(c(0, 0.05)))
  lines_panel(rows, "load", "CPU load of the job stream, %", over, title, marks, list(axis, more))
}

# Columns of a metric over standard EEE by scenario and setting. said: the paper's values, data frame workload, nodes,
# setting, value.
over_standard_panel <- function(rows, title, said = NULL, bars = TRUE) {
  rows <- relative_to(rows, "nopa", c("workload", "nodes"))
  rows <- rows[!rows$setting %in% "nopa", ]
  if (nrow(rows) == 0) return(NULL)
  rows$place <- scenario_factor(rows$workload, rows$nodes)
  rows$series <- series_factor(rows$setting)
  if (!is.null(said)) {
    said <- data.frame(place = paste0(said$workload, "\n", said$nodes), series = said$setting, y = said$value,
      text = NA)
  }
  columns_panel(rows, linear_axis("times standard EEE", bars), title, bars = bars,
    marks = marks_beside(said, rows, fine = TRUE), more = unity_line(), fine = TRUE)
}

# Rows of one metric of runs on clusters, ready for columns_panel: place (nodes) and series (framework) with the levels
# of all runs of the figure.
cluster_rows <- function(runs, metric, disk = NULL, benchmark = NULL) {
  every <- metric_rows(runs, metric)
  rows <- every
  if (!is.null(disk)) rows <- rows[rows$disk %in% disk, ]
  if (!is.null(benchmark)) rows <- rows[rows$benchmark %in% benchmark, ]
  rows$place <- factor(rows$nodes, sort(unique(every$nodes)))
  rows$series <- series_factor(every$framework)[match(rows$framework, every$framework)]
  rows
}

# The runs on the number of hosts that most frameworks ran most benchmarks on; the largest of several.
fullest_cluster <- function(runs) {
  points <- unique(metric_rows(runs, "time.total")[c("nodes", "framework", "benchmark")])
  sizes <- table(points$nodes)
  runs[runs$nodes %in% max(as.integer(names(sizes)[sizes == max(sizes, 0)]), -Inf), ]
}

# Frameworks below each other: a metric of one benchmark over `per`, every run, the median as a tick, and the median
# start-up in grey.
frameworks_panel <- function(runs, metric, benchmark, title, name, per = 1) {
  rows <- cluster_rows(runs, metric, benchmark = benchmark)
  rows$value <- rows$value / per
  if (!nrow(rows)) return(NULL)
  frameworks <- rev(levels(droplevels(rows$series)))
  middle <- stats::aggregate(list(value = rows$value), list(series = rows$series), stats::median)
  startup <- if (metric == "time.total") cluster_rows(runs, "time.startup", benchmark = benchmark)
  grey <- if (!is.null(startup) && nrow(startup)) {
    stats::aggregate(list(value = startup$value), list(series = startup$series), stats::median)
  }
  ggplot(rows, aes(.data$value, .data$series, colour = .data$series, shape = .data$series)) +
    emulated_mark(rows, narrow = TRUE) +
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

# A row of such panels for each benchmark. runs: those that are drawn; every: those that the words below are of.
# metrics: lists of metric, title, unit, and how many of the table's units that is. Behind size: pieces of the caption.
frameworks_figure <- function(every, runs, metrics, size, ...) {
  rows <- metric_rows(runs, "time.total")
  panels <- unlist(lapply(unique(rows$benchmark), function(benchmark) {
    lapply(metrics, function(one) {
      title <- if (identical(one, metrics[[1]])) paste0(label_of(benchmark), ", ", one[[2]]) else one[[2]]
      frameworks_panel(runs, one[[1]], benchmark, title, one[[3]], one[[4]])
    })
  }), recursive = FALSE)
  drawn <- metric_rows(runs, vapply(metrics, `[[`, "", 1))
  panel_figure(panels, every, drawn[drawn$benchmark %in% rows$benchmark, ], size,
    paste0("Points: all runs (n = ", n_text(as.integer(table(rows$point))), "); tick: median; grey: the median ",
      "start-up, until the first task runs."), ..., legend = 0, ncol = length(metrics))
}

linear_axis_x <- function(name) {
  scale_x_continuous(name, limits = c(0, NA), expand = expansion(c(0, 0.06)), breaks = scales::breaks_pretty(3),
    labels = scales::label_comma(drop0trailing = TRUE), guide = guide_axis(check.overlap = TRUE))
}

# Points of which no two are so close, on logarithmic axes, that words beside them would meet.
points_apart <- function(points) {
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
ed2p_panel <- function(runs, disk, title) {
  x <- cluster_rows(runs, "time.total", disk)
  y <- cluster_rows(runs, "ed2p", disk)
  y$time <- x$value[match(run_key(y), run_key(x))]
  y <- y[!is.na(y$time), ]
  if (nrow(y) == 0) return(NULL)
  middle <- merge(stats::aggregate(value ~ framework + nodes, y, stats::median),
    stats::aggregate(time ~ framework + nodes, y, stats::median))
  middle <- points_apart(middle)
  ggplot(y, series_aes(.data$time, .data$value)) +
    emulated_mark(y) +
    geom_point(size = 1.2, alpha = 0.75) +
    words_layer(aes(.data$time, .data$value, label = .data$nodes), middle, hjust = -0.8, vjust = 1,
      size = pt(small_size), colour = grey_text) +
    series_scales(levels(y$series)) +
    log_axis(y$time, "time, s", scale_x_log10) + log_axis(y$value, "ED2P, J s\u00b2") +
    labs(title = title) + theme_kvasir()
}

# Thin grey ticks at the median of the time from the first task on: what is left of a time without its start-up.
work_ticks <- function(runs, disk, like) {
  rows <- cluster_rows(runs, "time.work", disk)
  rows <- rows[rows$framework %in% like$framework, ]
  if (!nrow(rows)) return(NULL)
  rows$place <- factor(rows$nodes, levels(like$place))
  rows$series <- factor(rows$framework, levels(like$series))
  rows$x <- beside(rows$place, rows$series)
  half <- half_column(rows$series) * 0.6
  middle <- summarise_runs(rows, "x")
  geom_segment(aes(.data$x - half, .data$median, xend = .data$x + half, yend = .data$median), middle,
    inherit.aes = FALSE, linewidth = 0.35, colour = grey_line)
}

# The whole figure of a benchmark on clusters: time, ED2P and both against each other, for both disks. Panels without
# data are left out, and the first line says why.
# marks: function(rows of the time, disk) of the paper's values, data frame place, series, y, text.
benchmark_figure <- function(runs, marks, paper_gb, ...) {
  panel <- function(metric, disk, letter, what, axis, said = NULL) {
    rows <- cluster_rows(runs, metric, disk)
    if (nrow(rows) == 0) return(NULL)
    title <- paste0(letter, "\u2002", what, ", ", disk_label[[disk]])
    work <- if (metric == "time.total") metric_rows(runs, "time.work")$value
    columns_panel(rows, log_axis(c(rows$value, work), axis), title, "nodes", bars = FALSE,
      more = list(if (length(work)) work_ticks(runs, disk, rows), paper_marks(marks_beside(said, rows))))
  }
  times <- metric_rows(runs, "time.total")
  joules <- metric_rows(runs, "ed2p")
  disks <- intersect(names(disk_label), times$disk)
  of_disks <- function(first, make) Map(make, disks, letters[first - 1 + match(disks, names(disk_label))])
  panels <- of_disks(1, function(d, letter) panel("time.total", d, letter, "time", "time, s", marks(times, d)))
  if (nrow(joules)) {
    panels <- c(panels, of_disks(3, function(d, letter) panel("ed2p", d, letter, "ED2P", "ED2P, J s\u00b2")),
      of_disks(5, function(d, letter) ed2p_panel(runs, d, paste0(letter, "\u2002ED2P over time, ", disk_label[[d]]))))
  }
  of_disk <- list(HDD = c("a", "c", "e"), SSD = c("b", "d", "f"))
  parts <- c(if (nrow(joules)) of_disk else lapply(of_disk, `[`, 1), list(ED2P = c("c", "d", "e", "f")))
  lacking <- lacking_text(parts, c(disk_label[disks], if (nrow(joules)) "ED2P"), times$nodes)
  size <- if (nrow(joules)) "page" else "wide"
  panel_figure(unname(panels), runs, rbind(times, joules), size, runs_text(times, "tick: median"),
    if (nrow(metric_rows(runs, "time.work"))) "Grey tick: median without start-up and pauses between jobs.", ...,
    if (nrow(joules)) "Numbers in e and f: nodes." else no_energy_text(runs), terasort_size_text(runs, paper_gb),
    unplanned_text(runs), ncol = max(1, length(disks)), instead = lacking)
}

# A whole figure: one legend, panels (NULL for those without rows), caption; a sentence alone where there is nothing.
# rows: rows drawn, for their sources; ...: pieces of the caption; ncol, heights, widths: as wrap_plots() takes them;
# legend: its height, mm; key: width of its keys, mm; instead: what the first line says of what is shown.
panel_figure <- function(panels, runs, rows, size, ..., ncol = NULL, heights = 1, widths = NULL, legend = NULL,
                         key = 3.5, instead = NULL) {
  panels <- Filter(Negate(is.null), panels)
  if (!length(panels)) return(nothing_figure(runs, size))
  text <- caption(size, ..., jobs_text(runs), rates_text(runs), missing_text(runs), source_text(rows$source))
  body <- wrap_plots(panels, ncol = if (is.null(ncol)) length(panels) else ncol, heights = heights, widths = widths)
  if (is.null(legend)) legend <- if (length(unique(rows$framework)) > 6) 9 else 5
  plot <- wrap_plots(guide_area(), body, ncol = 1, heights = unit(c(legend, 1), c("mm", "null")), guides = "collect") +
    plot_annotation(subtitle = subtitle(size, run_note(runs, rows, instead), 8), caption = text,
      theme = theme_kvasir())
  list(plot = plot & theme(legend.box.margin = margin(), legend.key.width = unit(key, "mm")), size = size)
}

# The same for simulations: keys long enough to tell kinds of lines.
simulation_figure <- function(...) panel_figure(..., key = 8)

# A figure that says that there are no runs, and why.
nothing_figure <- function(runs, size) {
  why <- missing_text(runs)
  text <- paste("No run of this figure has a value.", if (nzchar(why)) why else "None was made at this scale.")
  list(plot = words_panel(wrap_text(text, size_mm(size)[["width"]] - 20, base_size)), size = size)
}

# An empty panel that says why.
words_panel <- function(text, title = NULL) {
  ggplot() +
    annotate("text", 0, 0, label = text, size = pt(base_size), family = font_family, colour = warn_colour) +
    labs(title = title) + theme_bare()
}
