# Fig. 2: power of one 10GbE link over its utilisation, Poisson arrivals: closed forms (lines), simulated runs (points).

panel <- function(points, curves, axis, title, marks, y) {
  if (nrow(points) == 0) return(NULL)
  ggplot(points, aes(.data$load, .data$value, colour = .data$series, fill = .data$series, shape = .data$series)) +
    geom_line(aes(linetype = .data$series), curves, linewidth = 0.4) +
    geom_point(size = 1.1, stroke = 0.3, alpha = 0.8) +
    paper_marks(marks) +
    series_scales(levels(points$series), fine = TRUE) +
    scale_x_continuous("utilisation, %", limits = c(0, 100), expand = expansion(c(0, 0.02))) +
    y + labs(title = title) + theme_kvasir()
}

takes <- c(link = "link")

draw <- function(tables) {
  runs <- tables$link
  series <- levels(series_factor(runs$setting))
  take <- function(metric, factor) {
    rows <- metric_rows(runs, metric)
    rows$series <- factor(rows$setting, series)
    rows$value <- factor * rows$value
    rows[order(rows$series, rows$load), ]
  }
  said <- data.frame(x = c(10, 20), y = c(50, 70), text = NA)
  power <- take("power.rel", 100)
  wait <- take("wait.mean", 1e6)
  panels <- list(
    panel(power, take("power.rel.closed", 100), "power", "a\u2002power, % of a link that is always on", said,
      scale_y_continuous(NULL, limits = c(0, 103), breaks = seq(0, 100, 20), expand = expansion())),
    panel(wait[wait$value > 0, ], take("wait.closed", 1e6), "wait", "b\u2002mean wait for the first bit, \u00b5s", NULL,
      scale_y_log10(NULL, labels = scales::label_comma(drop0trailing = TRUE), expand = expansion(0.04)))
  )
  off <- merge(power[c("point", "rep", "value")], take("power.rel.closed", 100)[c("point", "rep", "value")],
    by = c("point", "rep"))
  far <- if (nrow(off)) max(abs(off$value.x - off$value.y)) else NA
  simulation_figure(panels, runs, rbind(power, take("power.rel.closed", 100)), "tall", legend = 8,
    "10GBASE-T, frames of 1,500 bytes, Poisson arrivals. Lines: closed forms, where there is one; points: simulated",
    paste0("runs, n = ", n_text(as.integer(table(power$point))), " a setting and load."),
    if (!is.na(far)) paste0("Largest difference of the two: ", format(far, digits = 2), " points of power."),
    "Hollow diamonds: the paper's text on standard EEE, almost half at 10 % and 70 % at 20 %. Without abort: a frame",
    "that arrives on the way to sleep does not end it.")
}
