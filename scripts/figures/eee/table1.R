# Table I: wake and sleep times and what share of a cycle one frame takes, as printed, computed, and in the simulator.

wake <- c("100Base-TX" = 30.5, "1000Base-T" = 16.5, "10GBase-T" = 4.48)
sleep <- c(200, 182, 2.88)
large <- c(120, 12, 1.2)
printed <- list(c("34.2", "5.7", "14.0"), c("4.9", "0.6", "1.6"))
efficiency <- function(frame) formatC(100 * frame / (wake + frame + sleep), format = "f", digits = 3)

# Mean microseconds that a transition takes in the simulated link, from its share of the time. "" without runs.
measured <- function(runs, share) {
  runs <- runs[runs$setting %in% "nopa", ]
  of <- function(metric) metric_rows(runs, metric)
  key <- function(d) paste(d$point, d$rep)
  spent <- of(share)
  wakes <- of("wakes")
  whole <- of("seconds")
  us <- 1e6 * spent$value * whole$value[match(key(spent), key(whole))] / wakes$value[match(key(spent), key(wakes))]
  us <- us[is.finite(us)]
  if (length(us)) formatC(stats::median(us), format = "f", digits = 2) else ""
}

takes <- c(link = "link")

draw <- function(tables) {
  runs <- tables$link
  rows <- data.frame(
    names(wake), as.character(wake), as.character(sleep),
    as.character(large), printed[[1]], efficiency(large),
    as.character(large / 10), printed[[2]], efficiency(large / 10)
  )
  took <- c(measured(runs, "time.wake"), measured(runs, "time.sleep"))
  table_figure(rows,
    header = c("link", "Tw, \u00b5s", "Ts, \u00b5s", "frame, \u00b5s", "printed, %", "computed, %", "frame, \u00b5s",
      "printed, %", "computed, %"),
    x = c(0, 34, 50, 71, 91, 113, 132, 151, 172), right = c(FALSE, rep(TRUE, 8)),
    groups = data.frame(from = c(24, 56, 118), to = c(50, 113, 172),
      text = c("transitions", "1,500-byte frame", "150-byte frame")),
    "Computed: frame / (Tw + frame + Ts), the share of a cycle of waking, sending one frame",
    "and going to sleep.", if (all(nzchar(took))) paste0("10GBase-T in the simulated link: Tw ", took[1],
      " \u00b5s, Ts ", took[2], " \u00b5s a cycle, Ts less where frames come before it has passed."),
    missing_text(runs), source_text(metric_rows(runs, "time.wake")$source),
    height = 38)
}
