# Speed of the engine: CPU time over a single-thread yardstick's, by program and data (`make bench`).

takes <- c(words = "word_rounds", sorts = "sort_rounds")

# A panel a data set: a line a program, all rounds as points and their median as a tick.
ratio_panel <- function(rows, title) {
  programs <- rev(unique(rows$program))
  middle <- stats::aggregate(list(ratio = rows$cpu_ratio), rows["program"], stats::median)
  ggplot(rows, aes(.data$cpu_ratio, .data$program)) +
    geom_vline(xintercept = 1, linewidth = 0.25, linetype = "22", colour = grey_text) +
    geom_point(size = 1.1, alpha = 0.6, colour = okabe_ito[["blue"]]) +
    geom_point(aes(.data$ratio, .data$program), middle, shape = 124, size = 3) +
    scale_y_discrete(NULL, limits = programs) +
    log_axis(c(1, rows$cpu_ratio), NULL, scale_x_log10) +
    labs(title = title) + theme_kvasir()
}

draw <- function(tables) {
  # What all are measured by is 1 in every round.
  words <- tables$words[tables$words$program != "yardstick", ]
  sorts <- tables$sorts[tables$sorts$program != "sort-yardstick", ]
  if (!nrow(words) && !nrow(sorts)) fail("the tables hold no program but the yardsticks")
  panels <- lapply(unique(words$data), function(data) {
    rows <- words[words$data %in% data, ]
    title <- paste0(data, ": ", short_count(rows$words[1]), " words, ", short_count(rows$unique[1]), " distinct")
    ratio_panel(rows, title)
  })
  if (nrow(sorts)) {
    title <- paste("sort:", short_count(sorts$records[1]), "records of 100 bytes")
    panels <- c(panels, list(ratio_panel(sorts, title)))
  }
  rounds <- table(c(paste(words$data, words$program), paste("sort", sorts$program)))
  lines <- vapply(panels, function(panel) length(panel$scales$get_scales("y")$limits), 1)
  tall <- tapply(lines, (seq_along(lines) + 1) %/% 2, max)
  size <- c(width = 178, height = 24 + sum(12 + 4 * tall))
  plot <- wrap_plots(panels, ncol = 2, heights = as.numeric(tall)) +
    plot_annotation(theme = theme_kvasir(), caption = caption("page",
      "CPU time of all processes, MPI's launcher included, over that of one thread that does the same without",
      paste0("MapReduce, in the same round. Points: all n = ", n_text(as.integer(rounds)), " rounds; tick: median."),
      "Source: measured:rusage."
    ))
  list(plot = plot, size = size)
}
