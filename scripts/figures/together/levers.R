# What the studies change, side by side: what is left of time and energy, here and by the papers.

takes <- c(levers = "levers")

# A quantity's panel: a line a lever; coloured by study: our median with all values' range, hollow: the paper's. Panels
# share their axis.
left_panel <- function(all, quantity, title) {
  colours <- stats::setNames(unname(okabe_ito)[-1][seq_along(unique(all$study))], unique(all$study))
  values <- stats::na.omit(c(1, all$low, all$high, all$paper_low, all$paper_high))
  rows <- all[all$quantity %in% quantity, ]
  lines <- rev(unique(rows$label))
  here <- rows[!is.na(rows$value), ]
  here$filled <- ifelse(here$verdict %in% c("reproduced", "direction"), here$study, "open")
  stated <- rows[!is.na(rows$paper_low), ]
  ranges <- stated[stated$paper_low < stated$paper_high, ]
  ggplot(here, aes(.data$value, .data$label)) +
    geom_vline(xintercept = 1, linewidth = 0.3, colour = grey_text) +
    geom_segment(aes(.data$paper_low, xend = .data$paper_high, yend = .data$label), ranges, linewidth = 0.3,
      colour = paper_colour) +
    geom_point(aes(.data$x, .data$label), data.frame(
      x = c(stated$paper_low, stated$paper_high), label = rep(stated$label, 2)
    ), shape = 23, size = 1.9, stroke = 0.4, fill = "white", colour = paper_colour) +
    geom_segment(aes(.data$low, xend = .data$high, yend = .data$label, colour = .data$study), linewidth = 0.5) +
    geom_point(aes(colour = .data$study, fill = .data$filled), shape = 21, size = 1.6, stroke = 0.5) +
    scale_colour_manual(values = colours, guide = "none") +
    scale_fill_manual(values = c(colours, open = "white"), guide = "none") +
    expand_limits(x = values) +
    scale_y_discrete(NULL, limits = lines) +
    log_axis(values, paste("times the", quantity, "without it"), scale_x_log10) +
    labs(title = title) + theme_kvasir()
}

# Which claims' runs were over emulated links, by their rates.
emulated_text <- function(rows) {
  at <- regexpr("Emulated links[^.]*[.]", rows$note)
  by_rate <- split(rows$claim[!is.na(at) & at > 0], regmatches(rows$note, at))
  paste0(vapply(by_rate, and_text, ""), ": ", names(by_rate), recycle0 = TRUE)
}

draw <- function(tables) {
  rows <- tables$levers
  rows$label <- paste0(rows$label, "  ", rows$claim, ifelse(is.na(rows$value), "", paste0(", n = ", rows$n)))
  panels <- list(left_panel(rows, "time", "a\u2002time"), left_panel(rows, "energy", "b\u2002energy"))
  lines <- vapply(c("time", "energy"), function(name) sum(rows$quantity %in% name), 1)
  size <- c(width = 178, height = 34 + 5 * sum(lines))
  open <- rows[is.na(rows$value), ]
  text <- caption(size,
    "Dots: the median of the n values that the claim\u2019s check reads, from the least to the greatest; hollow where",
    "the claim is neither reproduced nor holds in direction. Hollow diamonds: the papers, a range where they state",
    "one. Left of 1: less time or energy than without the change.",
    if (nrow(open)) paste0("No value here, for want of what it needs: ", and_text(open$claim), "."),
    emulated_text(rows),
    source_text(unlist(strsplit(rows$source, "; ", fixed = TRUE))))
  plot <- wrap_plots(panels, ncol = 1, heights = lines) + plot_annotation(theme = theme_kvasir(), caption = text)
  list(plot = plot, size = size)
}
