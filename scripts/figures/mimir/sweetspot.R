# The sweet spot that the paper describes and never draws: time, CPU time, energy and exchanges over unique words.

takes <- c(adaptive = "runs", buffering = "runs")

# Rows of a metric with their place on the axis; per_word: per billion words, since not all texts have as many.
swept <- function(runs, metric, per_word = TRUE) {
  rows <- metric_rows(runs, metric)
  rows$x <- paper_scale_unique(rows)
  if (per_word) rows$value <- rows$value / rows$words * 1e9
  rows[rows$value > 0, ]
}

draw <- function(tables) {
  all_runs <- exchange_lines(tables$buffering, tables$adaptive)
  done <- metric_rows(all_runs, c("runtime", "energy.total", "rounds"))
  runs <- all_runs[all_runs$cap_w %in% max(done$cap_w, -Inf), ]
  runtime <- swept(runs, "runtime")
  need_rows(runtime, all_runs, "metric runtime of a run that ended well")
  parts <- list(
    list(rows = runtime, axis = "time, s per billion words", lowest = TRUE),
    list(rows = swept(runs, "cpu.total"), axis = "CPU time, s per billion words", lowest = TRUE),
    list(rows = swept(runs, "energy.total"), axis = "energy, J per billion words", lowest = TRUE),
    # The adaptive one sends blocks to single ranks: no exchanges among all to count.
    list(rows = swept(runs[runs$strategy %in% "partition-full", ], "rounds", FALSE), axis = "exchanges", lowest = FALSE)
  )
  parts <- Filter(function(part) nrow(part$rows) > 0, parts)
  named <- unique(runtime[order(runtime$x), c("data", "x", "unique")])
  top <- data.frame(x = named$x, text = short_count(named$unique))
  paper <- data.frame(x = named$x[named$data %in% "4B5K"])
  panels <- lapply(seq_along(parts), function(i) {
    part <- parts[[i]]
    sweep_panel(part$rows, part$axis, paper, part$lowest, top = if (i == 1) top, bottom = i == length(parts))
  })
  low <- min(runtime$value)
  panels[[1]] <- panels[[1]] +
    geom_point(aes(.data$x, low), paper, inherit.aes = FALSE, shape = 23, size = 2, stroke = 0.4, fill = "white") +
    words_layer(aes(.data$x * 1.2, low, label = "paper: sweet spot at 5,000 unique words"), paper, hjust = 0,
      size = pt(small_size))
  energy <- swept(runs, "energy.total")
  above <- emulated_note(energy$source)
  if (!nrow(energy)) above <- paste0("No power source on this machine (", power_reason(runs), "): no energy curve.")
  n <- table(runtime$point)
  text <- caption("page",
    paste0("ReduceByKey, cap label ", max(runs$cap_w), " W. Points: all n = ", n_text(as.integer(n)),
      " runs per setting; line: median; bar: ", interval_text(n), "; ring: lowest median of each line."),
    "Lines by send buffer: the paper's exchange. Adaptive: one that chooses by its hits, with 64 MB.",
    "No line crosses a data set that its setting was not run on.",
    buffer_note(runs), placement_text(runs), scale_text(runtime), missing_text(all_runs),
    source_text(unlist(lapply(parts, function(part) part$rows$source)))
  )
  plot <- wrap_plots(panels, ncol = 1) +
    plot_annotation(subtitle = subtitle("page", above), caption = text, theme = theme_kvasir())
  list(plot = plot, size = "page")
}
