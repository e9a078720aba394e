# What the figures of study eee share: its tables, who looks like what, and what is said below a figure.

table_columns$netsim <- list(
  text = c(
    "study", "experiment", "point", "workload", "buffer", "tcp", "setting", "scheduler", "flavour", "queue", "variant",
    "status", "reason", "metric", "unit", "source"
  ),
  number = c("rep", "nodes", "stall_us", "latency_us", "load", "value")
)
table_columns$link <- list(
  text = c("study", "experiment", "point", "setting", "status", "reason", "metric", "unit", "source"),
  number = c("rep", "load", "value")
)
table_columns$states <- list(
  text = c("point", "setting", "host", "domain", "metric", "source"), number = c("rep", "t_s", "value")
)

# One look for each link setting in all figures; "core:" settings, on 10GbE only, look like their namesakes. Shapes 21
# to 25 are filled: hollow ones are the paper's.
eee_looks <- utils::read.table(header = TRUE, sep = ",", strip.white = TRUE, comment.char = "", text = "
  id,         label,                 colour,  shape, linetype
  legacy,     legacy Ethernet,       #8C8C8C, 4,     dashed
  nopa,       standard EEE,          #D55E00, 21,    solid
  nopa-abort, standard with abort,   #D55E00, 1,     22
  12us10,     12us10,                #56B4E9, 24,    solid
  12us10+,    12us10+,               #0072B2, 24,    63
  120us100,   120us100,              #009E73, 22,    solid
  120us100+,  120us100+,             #00543D, 22,    63
  1ms1000,    1ms1000,               #CC79A7, 25,    solid
  10ms1000,   10ms1000,              #A37C00, 8,     solid
  adaptive,   adaptive,              #E69F00, 23,    solid
  ideal,      ideal,                 #000000, 3,     42
  quincy,     Quincy,                #0072B2, 21,    solid
  fair,       fair,                  #E69F00, 24,    63
  fifo,       FIFO,                  #000000, 22,    22
  24,         24 nodes (1.2:1),      #0072B2, 21,    solid
  50,         50 nodes (2.5:1),      #E69F00, 24,    63
  80,         80 nodes (4:1),        #000000, 22,    22
  small,      small jobs,            #0072B2, 21,    solid
  batch,      batch job,             #000000, 24,    63
  balanced,   batch with even blocks, #D55E00, 25, 22
  newreno,    NewReno and drop-tail, #000000, 22,    22
  dctcp,      DCTCP and ECN,         #0072B2, 21,    solid
")
eee_look <- function(id, column) eee_looks[[column]][match(sub("^core:", "", id), eee_looks$id)]

# Levels as a factor, in the order of the list above, named as in legends.
eee_series <- function(id) {
  id <- sub("^core:", "", id)
  known <- eee_looks$id[eee_looks$id %in% id]
  factor(id, c(known, sort(setdiff(unique(id), known))))
}

# Scales for aesthetics colour, fill, shape and linetype mapped to a factor of eee_series(), with one legend for all.
eee_scales <- function(levels, rows = 1) {
  named <- function(column) stats::setNames(eee_look(levels, column), levels)
  label <- ifelse(is.na(named("label")), levels, named("label"))
  plain <- guide_legend(nrow = rows, byrow = TRUE)
  keys <- guide_legend(nrow = rows, byrow = TRUE, override.aes = list(size = 1.6, alpha = 1, linewidth = 0.45))
  list(
    scale_colour_manual(NULL, values = named("colour"), labels = label, drop = FALSE, guide = keys),
    scale_fill_manual(NULL, values = named("colour"), labels = label, drop = FALSE, guide = plain),
    scale_shape_manual(NULL, values = named("shape"), labels = label, drop = FALSE, guide = plain),
    scale_linetype_manual(NULL, values = named("linetype"), labels = label, drop = FALSE, guide = plain)
  )
}

# The scenarios in the paper's order. On an axis the workload stands once, below its numbers of nodes.
eee_scenario <- function(workload, nodes) {
  all <- unique(data.frame(workload, nodes)[order(match(workload, c("small", "batch", "terasort")), nodes), ])
  factor(paste0(workload, "\n", nodes), paste0(all$workload, "\n", all$nodes))
}

eee_place_labels <- function(levels) {
  parts <- strsplit(levels, "\n", fixed = TRUE)
  if (!all(grepl("^(small|batch|terasort)\n[0-9]+$", levels))) return(levels)
  workload <- vapply(parts, `[`, "", 1)
  middle <- vapply(unique(workload), function(w) ceiling(mean(which(workload == w))), 0)
  paste0(vapply(parts, `[`, "", 2), "\n", ifelse(seq_along(levels) %in% middle, workload, ""))
}

# Values over the median of a base setting with otherwise equal levels. Rows without a base are dropped.
eee_relative <- function(rows, base, by, column = "setting") {
  key <- function(d) do.call(paste, c(d[c(by, "metric")], sep = "\r"))
  of_base <- rows[rows[[column]] %in% base, ]
  middle <- tapply(of_base$value, key(of_base), stats::median)
  rows$value <- rows$value / as.numeric(middle[key(rows)])
  rows[!is.na(rows$value), ]
}

# One metric that is the product of two of the same run.
eee_product <- function(runs, first, second, name) {
  a <- metric_rows(runs, first)
  b <- metric_rows(runs, second)
  key <- function(d) paste(d$point, d$rep, sep = "\r")
  a$value <- a$value * b$value[match(key(a), key(b))]
  a$metric <- rep(name, nrow(a))
  a[!is.na(a$value), ]
}

# What is missing: points not run or failed, each with its reason. "" if nothing is.
eee_missing <- function(runs) {
  said <- character()
  for (state in c("not-run", "failed", "timeout")) {
    rows <- runs[runs$status %in% state, ]
    for (reason in utils::head(unique(rows$reason), 2)) {
      n <- nrow(unique(rows[rows$reason %in% reason, c("point", "rep")]))
      words <- c("not-run" = "not made", failed = "failed", timeout = "ran out of time")[[state]]
      said <- c(said, paste0(n, if (n > 1) " runs " else " run ", words, " (", shorten(reason), ")."))
    }
  }
  paste(said, collapse = " ")
}

# What the points, lines and bars are: all seeds of a setting, their median, their range.
eee_seeds <- function(rows, by, marks = "line: median") {
  n <- as.integer(table(do.call(paste, c(rows[by], sep = "\r"))))
  if (!length(n)) return("No run has a value.")
  one <- max(n) == 1
  paste0(
    if (one) "Each point: one run (n = 1" else paste0("Small points: all runs (n = ", n_text(n)),
    if (one) " seed)." else paste0(" seeds); ", marks, "; bar: ", interval_text(n), ".")
  )
}

# What a line below says of the jobs: "60 jobs a run." from metric jobs of the stream workloads.
eee_jobs <- function(runs) {
  jobs <- metric_rows(runs, "jobs")
  jobs <- sort(unique(jobs$value[!jobs$workload %in% "batch"]))
  if (!length(jobs)) return("")
  paste(and_text(count_text(jobs)), if (identical(jobs, 1)) "job a run." else "jobs a stream.")
}

eee_sources <- function(rows) if (any(!rows$source %in% c("none", NA))) source_text(rows$source) else ""

# As caption(); a number and its % stay together.
eee_caption <- function(size, ...) caption(size, gsub("([0-9]) %", "\\1\u00a0%", unlist(list(...))))

# The whole figure: one legend, panels (ggplots; NULL for those without rows), caption; a sentence alone where there is
# nothing. rows: rows drawn, for their sources; layout, heights: as wrap_plots() takes them; legend: height, mm.
eee_figure <- function(panels, runs, rows, size, ..., ncol = NULL, heights = 1, widths = NULL, legend = 5) {
  panels <- Filter(Negate(is.null), panels)
  if (!length(panels)) return(list(plot = eee_nothing(runs, size), size = size))
  text <- eee_caption(size, ..., eee_jobs(runs), eee_missing(runs), eee_sources(rows))
  body <- wrap_plots(panels, ncol = if (is.null(ncol)) length(panels) else ncol, heights = heights, widths = widths)
  plot <- wrap_plots(guide_area(), body, ncol = 1, heights = unit(c(legend, 1), c("mm", "null")), guides = "collect") +
    plot_annotation(caption = text, theme = theme_kvasir())
  list(plot = plot & theme(legend.box.margin = margin()), size = size)
}

# A page that says that there are no runs, and why.
eee_nothing <- function(runs, size) {
  why <- eee_missing(runs)
  text <- paste("No run of this figure has a value.", if (nzchar(why)) why else "None was made at this scale.")
  width <- figure_sizes[[size]][["width"]]
  ggplot() +
    annotate("text", 0, 0, label = wrap_text(text, width - 20, base_size), size = pt(base_size), family = font_family,
      colour = warn_colour) +
    theme_kvasir() +
    theme(axis.text = element_blank(), axis.title = element_blank(), axis.ticks = element_blank(),
      axis.line.x = element_blank(), panel.grid.major = element_blank())
}

# The study's configuration, for the tables that show it: numbers without the _ that R's reader leaves in them.
eee_study <- function(here) {
  path <- file.path(here, "..", "..", "..", "config", "studies", "eee.yaml")
  if (!file.exists(path)) fail(path, ": no such file")
  clean <- function(x) {
    if (is.list(x)) return(lapply(x, clean))
    if (is.character(x) && all(grepl("^[0-9]+(_[0-9]{3})+$", x))) return(as.numeric(gsub("_", "", x)))
    x
  }
  clean(yaml::read_yaml(path))
}

# Sizes of the tables: as high as their rows.
figure_sizes$rows3 <- c(width = 178, height = 38)
figure_sizes$rows6 <- c(width = 178, height = 52)
figure_sizes$rows20 <- c(width = 178, height = 112)
