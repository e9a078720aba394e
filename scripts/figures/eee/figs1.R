# Fig. S1: what each open choice moves: coalescing and ideal over standard EEE, and standard EEE over that of the base.

takes <- c(sensitivity = "netsim")

draw <- function(tables) {
  runs <- tables$sensitivity
  all <- metric_rows(runs, c("runtime.mean", "energy.total"))
  names <- c("base", sort(setdiff(unique(all$variant), "base")))
  panel <- function(metric, title, base) {
    rows <- all[all$metric == metric, ]
    rows <- if (base) {
      relative_to(rows[rows$setting %in% "nopa", ], "base", "workload", "variant")
    } else {
      relative_to(rows, "nopa", c("workload", "variant"))
    }
    rows <- if (base) rows else rows[!rows$setting %in% "nopa", ]
    if (nrow(rows) == 0) return(NULL)
    rows$series <- factor(rows$setting, levels(series_factor(all$setting)))
    rows$y <- match(rows$variant, rev(names)) - if (base) 0 else (as.integer(rows$series) - 3) * 0.22
    middle <- summarise_runs(rows, c("y", "series", "workload"))
    ggplot(middle, aes(.data$median, .data$y, colour = .data$series, fill = .data$series, shape = .data$series)) +
      geom_vline(xintercept = 1, linewidth = 0.3, colour = grey_text) +
      geom_segment(aes(x = .data$low, xend = .data$high, yend = .data$y), linewidth = 0.3, show.legend = FALSE) +
      geom_segment(aes(xend = .data$median, y = .data$y - 0.13, yend = .data$y + 0.13), linewidth = 0.5,
        show.legend = FALSE) +
      geom_point(aes(x = .data$value), rows, size = 1, stroke = 0.25, alpha = 0.75) +
      series_scales(levels(rows$series), fine = TRUE) +
      facet_wrap(vars(factor(.data$workload, c("small", "batch"))), ncol = 1) +
      (if (max(rows$value) > 3) scale_x_log10() else scale_x_continuous(breaks = scales::breaks_pretty(4))) +
      scale_y_continuous(breaks = seq_along(names), labels = label_of(rev(names)), limits = c(0.5, length(names) + 0.5),
        expand = expansion()) +
      expand_limits(x = c(0.98, 1.02)) +
      labs(x = if (base) "times the base" else "times standard EEE", y = NULL, title = title) +
      theme_kvasir() + theme(panel.grid.major.y = element_blank(), plot.title.position = "panel")
  }
  panels <- list(
    panel("energy.total", "a\u2002energy", FALSE), panel("runtime.mean", "b\u2002average runtime", FALSE),
    panel("energy.total", "c\u2002energy", TRUE), panel("runtime.mean", "d\u2002average runtime", TRUE)
  )
  bare <- theme(axis.text.y = element_blank(), axis.ticks.y = element_blank())
  panels[-1] <- lapply(panels[-1], function(p) if (is.null(p)) p else p + bare)
  simulation_figure(panels, runs, all, "page",
    "One open choice at a time against the base. a, b: settings over standard EEE under the same choice;",
    "c, d: standard EEE",
    "over standard EEE of the base.", seeds_text(all[all$metric == "energy.total", ], "tick: median"),
    "24 nodes, shallow buffers, default TCP. The paper states none of these choices.")
}
