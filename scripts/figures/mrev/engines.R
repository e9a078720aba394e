# Engines that a user could run, on the same bytes: time with its start-up, processor time, bytes and joules.

# What is drawn of each benchmark: metric, title of the panel, unit, and how many of the table's units that is.
drawn <- list(
  list("time.total", "time", "s", 1),
  list("cpu.seconds", "processor time of all hosts", "s", 1),
  list("net.bytes", "sent over all interfaces", "MB", 1e6),
  list("energy.total", "energy", "J", 1)
)

takes <- c(engines = "cells")

draw <- function(tables) {
  every <- tables$engines
  runs <- fullest_cluster(every)
  rows <- metric_rows(runs, "time.total")
  if (!nrow(rows)) return(nothing_figure(every, "wide"))
  metrics <- Filter(function(one) nrow(metric_rows(runs, one[[1]])) > 0, drawn)
  size <- c(width = 178, height = 32 + length(unique(rows$benchmark)) * (16 + 5 * length(unique(rows$framework))))
  frameworks_figure(every, runs, metrics, size, paste(unique(rows$nodes), "nodes."),
    if (length(metrics) < length(drawn)) no_energy_text(runs))
}
