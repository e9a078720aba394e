# What the figures of studies mrev and hpc share: their tables, who looks like what, and what is said below a figure.

cells_factors <- c("study", "experiment", "point", "framework", "disk", "benchmark")
table_columns$cells <- list(
  text = c(cells_factors, "status", "reason", "metric", "unit", "source"), number = c("rep", "nodes", "value")
)
table_columns$samples <- list(
  text = c("point", "framework", "disk", "benchmark", "host", "domain", "metric", "unit", "source"),
  number = c("rep", "nodes", "t_s", "value")
)
table_columns$tasks <- list(
  text = c("point", "framework", "disk", "benchmark", "job", "task", "host", "kind", "phase", "status"),
  number = c("rep", "nodes", "start_s", "end_s")
)

disk_label <- c(hdd = "HDD", ssd = "SSD")

# Frameworks as a factor in the order of the palette, named as in legends.
cells_series <- function(id) {
  known <- series_table$id[series_table$id %in% id]
  factor(id, c(known, sort(setdiff(unique(id), known))))
}

# Scales for colour, fill, shape and linetype mapped to a factor of cells_series(), with one legend for all of them.
cells_scales <- function(levels) {
  rows <- ceiling(length(levels) / 6)
  known <- levels %in% series_table$id
  pick <- function(values, other) stats::setNames(ifelse(known, values[levels], other), levels)
  keys <- guide_legend(nrow = rows, byrow = TRUE, override.aes = list(size = 1.8, alpha = 1, linewidth = 0.5))
  plain <- guide_legend(nrow = rows, byrow = TRUE)
  label <- unname(label_of(levels))
  list(
    scale_colour_manual(NULL, values = pick(series_colour, "#000000"), labels = label, drop = FALSE, guide = keys),
    scale_fill_manual(NULL, values = pick(series_colour, "#000000"), labels = label, drop = FALSE, guide = plain),
    scale_shape_manual(NULL, values = pick(series_shape, 1), labels = label, drop = FALSE, guide = plain),
    scale_linetype_manual(NULL, values = pick(series_linetype, "solid"), labels = label, drop = FALSE, guide = plain)
  )
}

# Whether the hosts were emulated: the rate of their links says so.
cells_emulated <- function(runs) any(startsWith(metric_rows(runs, "link.rate")$source, "emulated:"))

# "Links limited to 200 Mbit/s (GbE) and 800 Mbit/s (IPoIB); the paper: ..." from metric link.rate; "" without one.
cells_rates <- function(runs) {
  rates <- metric_rows(runs, "link.rate")
  if (nrow(rows <- rates) == 0) return("")
  name <- ifelse(endsWith(rows$framework, "-gbe"), "GbE", "IPoIB")
  each <- unique(data.frame(name, value = rows$value))
  each <- each[order(each$name, each$value), ]
  paste0(if (cells_emulated(runs)) "Emulated hosts, links" else "Links", " limited to ",
    and_text(paste0(count_text(each$value), "\u00a0Mbit/s (", each$name, ")")),
    "; the paper\u2019s: 1,000 (GbE) and 56,000 (InfiniBand).")
}

# Only hosts of their own have no such line in the warning colour.
cells_note <- function(runs, rows) {
  hosts <- if (cells_emulated(runs)) "EMULATED hosts and links on one machine: times show directions."
  said <- paste(c(hosts, emulated_note(rows$source)), collapse = " ")
  if (nzchar(said)) said else NULL
}

# Rate of the link of the frameworks on Gigabit Ethernet, or of the others, for the tables of hardware.
cells_rate <- function(runs, gbe) {
  rates <- metric_rows(runs, "link.rate")
  found <- sort(unique(rates$value[endsWith(rates$framework, "-gbe") == gbe]))
  if (!length(found)) return("as the site has it")
  paste0(and_text(count_text(found)), " Mbit/s", if (cells_emulated(runs)) " (emulated)")
}

# How many runs of a framework ended well, and what was run, for tables.
cells_done <- function(runs, id) {
  rows <- unique(runs[runs$framework %in% id & runs$status %in% "ok", c("point", "rep")])
  if (nrow(rows)) paste(nrow(rows), "runs") else "not run"
}

cells_listed <- function(x) if (length(x)) and_text(x) else "none run"

# What is missing, by reason: "Not run: Hadoop-UDA (no shuffle ...)." "" if nothing is.
cells_missing <- function(runs) {
  said <- character()
  absent <- runs[runs$status %in% "not-run", ]
  absent$why <- sub("^[a-z0-9-]+( '[a-z]+')?: ", "", absent$reason)
  tried <- runs[!runs$status %in% "not-run", ]
  for (reason in utils::head(unique(absent$why), 6)) {
    rows <- absent[absent$why %in% reason, ]
    what <- unique(label_of(setdiff(rows$framework, tried$framework)))
    if (!length(what)) what <- disk_label[setdiff(rows$disk, tried$disk)]
    if (!length(what)) what <- paste(length(unique(rows$point)), "points")
    said <- c(said, paste0(and_text(what), " (", shorten(reason), ")"))
  }
  if (length(said)) said <- paste0("Not run: ", paste(said, collapse = "; "), ".")
  paste(c(said, failed_text(runs)), collapse = " ")
}

# What points, ticks and lines are: all runs of a point, their median, their range.
cells_runs <- function(rows, mark = "bar: median") {
  n <- as.integer(table(paste(rows$point, rows$metric)))
  if (!length(n)) return("No run has a value.")
  if (max(n) == 1) return("Each point is one run (n = 1).")
  paste0("Points: all runs (n = ", n_text(n), "); ", mark, "; line: ", interval_text(n), ".")
}

# How much data TeraSort has here, if the runs tell: "TeraSort: 0.13 GB (the paper: 128 GB)."
cells_size <- function(runs, paper) {
  records <- sort(unique(metric_rows(runs[runs$benchmark %in% "terasort", ], "records")$value))
  if (!length(records)) return("")
  gb <- paste(signif(records * 100 / 1e9, 2), collapse = " and ")
  paste0("TeraSort: ", gb, "\u00a0GB (the paper: ", paper, "\u00a0GB).")
}

cells_caption <- function(size, ...) caption(size, gsub("([0-9]) (%|W|s|GB)\\b", "\\1\u00a0\\2", unlist(list(...))))

# The whole figure: one legend, panels (NULL for those without rows), caption. A sentence alone where there is nothing.
cells_figure <- function(panels, runs, rows, size, ..., ncol = NULL, heights = 1, legend = NULL) {
  panels <- Filter(Negate(is.null), panels)
  if (!length(panels)) return(list(plot = cells_nothing(runs, size), size = size))
  if (is.null(legend)) legend <- if (length(unique(rows$framework)) > 6) 9 else 5
  text <- cells_caption(size, ..., cells_rates(runs), cells_missing(runs),
    if (any(!rows$source %in% c("none", NA))) source_text(rows$source) else "")
  body <- wrap_plots(panels, ncol = if (is.null(ncol)) length(panels) else ncol, heights = heights)
  plot <- wrap_plots(guide_area(), body, ncol = 1, heights = unit(c(legend, 1), c("mm", "null")), guides = "collect") +
    plot_annotation(subtitle = subtitle(size, cells_note(runs, rows)), caption = text, theme = theme_kvasir())
  list(plot = plot & theme(legend.box.margin = margin(), legend.key.width = unit(3.5, "mm")), size = size)
}

cells_nothing <- function(runs, size) {
  why <- cells_missing(runs)
  text <- paste("No run of this figure has a value.", if (nzchar(why)) why else "None was made at this scale.")
  cells_words(wrap_text(text, figure_sizes[[size]][["width"]] - 20, base_size))
}

# An empty panel that says why.
cells_words <- function(text, title = NULL) {
  ggplot() +
    annotate("text", 0, 0, label = text, size = pt(base_size), family = font_family, colour = warn_colour) +
    labs(title = title) + cells_blank()
}

# The theme without axes.
cells_blank <- function() {
  theme_kvasir() + theme(axis.text = element_blank(), axis.title = element_blank(), axis.ticks = element_blank(),
    axis.line.x = element_blank(), panel.grid.major = element_blank())
}

# A typeset table as a whole figure, as high as its rows.
cells_table <- function(rows, header, x, right, groups, ..., lines = 3, strong = integer()) {
  height <- 4.2 * (nrow(rows) + 3) + 3.1 * lines + 6
  figure_sizes$cells_table <<- c(width = 178, height = height)
  plot <- typeset_table(as.data.frame(rows), header, x, right, 172, groups, strong = strong)
  list(plot = plot + labs(caption = cells_caption("cells_table", ...)), size = "cells_table")
}

# A file of the configuration: numbers without the _ that R's reader leaves in them.
cells_config <- function(here, ...) {
  path <- file.path(here, "..", "..", "..", "config", ...)
  if (!file.exists(path)) fail(path, ": no such file")
  clean <- function(x) {
    if (is.list(x)) return(lapply(x, clean))
    if (is.character(x) && all(grepl("^[0-9]+(_[0-9]{3})+$", x))) return(as.numeric(gsub("_", "", x)))
    x
  }
  clean(yaml::read_yaml(path))
}

# One value of each scale, as text; what: function of the scale's `cells` entry and of the whole file.
cells_scale_values <- function(here, what) {
  vapply(c("smoke", "laptop", "paper"), function(name) {
    scale <- cells_config(here, "scales", paste0(name, ".yaml"))
    value <- what(scale$cells, scale)
    if (is.null(value)) "\u2013" else paste(format(value, big.mark = ",", trim = TRUE), collapse = ", ")
  }, "")
}
