# The sweet spot the paper describes and never draws: runtime, energy and exchange rounds over unique words, per buffer.

takes <- c(buffering = "runs")

draw <- function(tables) {
  all_runs <- tables$buffering
  done <- metric_rows(all_runs, c("runtime", "energy.total", "rounds"))
  runs <- all_runs[all_runs$cap_w %in% max(done$cap_w, -Inf), ]
  runtime <- metric_rows(runs, "runtime")
  energy <- metric_rows(runs, "energy.total")
  rounds <- metric_rows(runs, "rounds")
  need_rows(runtime, all_runs, "metric runtime of a run that ended well")
  named <- unique(runtime[order(runtime$unique), c("data", "unique", "words")])
  top <- data.frame(x = named$unique, text = data_unique(named$data))
  spot <- named[named$data %in% "4B5K", ]
  here_text <- paste0(" (here ", count_text(spot$unique), " of ", count_text(spot$words), ")")
  said <- "paper: sweet spot at 5,000 of 4\u00a0billion words"
  paper <- data.frame(x = spot$unique)
  paper$text <- paste0(rep(said, nrow(spot)), ifelse(spot$words == 4e9, "", here_text))
  low <- 0.05 * max(runtime$value)
  last <- if (nrow(rounds)) "rounds" else if (nrow(energy)) "energy" else "runtime"
  first <- sweep_panel(runtime, "runtime, s", paper, lowest = TRUE, top = top, bottom = last == "runtime") +
    geom_point(aes(.data$x, low), paper, inherit.aes = FALSE, shape = 23, size = 2, stroke = 0.4, fill = "white") +
    geom_text(aes(.data$x * 1.2, low, label = .data$text), paper, inherit.aes = FALSE, hjust = 0,
      size = pt(small_size), family = font_family)
  panels <- list(first)
  if (nrow(energy)) {
    panels <- c(panels, list(sweep_panel(energy, "energy, J", paper, lowest = TRUE, bottom = last == "energy")))
  }
  if (nrow(rounds)) {
    log_y <- min(rounds$value) > 0
    panels <- c(panels, list(sweep_panel(rounds, "exchange rounds", paper, log_y = log_y, bottom = TRUE)))
  }
  size <- if (nrow(energy)) "page" else "tall"
  above <- emulated_note(energy$source)
  if (!nrow(energy)) above <- paste0("No power source on this machine (", power_reason(runs), "): no energy curve.")
  n <- table(runtime$point)
  text <- caption(size,
    paste0("ReduceByKey, cap label ", max(runs$cap_w), " W. Points: all n = ", n_text(as.integer(n)),
      " runs per setting; line: median; bar: ", interval_text(n), "; ring: lowest median of each buffer."),
    buffer_note(runs), scale_text(runtime), missing_text(all_runs),
    source_text(c(runtime$source, energy$source, rounds$source))
  )
  plot <- wrap_plots(panels, ncol = 1) +
    plot_annotation(subtitle = subtitle(size, above), caption = text, theme = theme_kvasir())
  list(plot = plot, size = size)
}
