# Engines that a user could run, on the same bytes: time with its start-up, processor time, bytes and joules.

# What is drawn of each benchmark: metric, title of the panel, unit, and how many of the table's units that is.
drawn <- function(runs) {
  c(list(list("time.total", "time", "s", 1), list("cpu.seconds", "processor time of all hosts", "s", 1)),
    sent(runs), list(list("energy.total", "energy", "J", 1)))
}

# Bytes over each interface that was used; over all where the hosts share those of the machine.
sent <- function(runs) {
  interfaces <- c(gbe = "GbE", ib = "IPoIB")
  used <- Filter(function(one) any(metric_rows(runs, paste0("net.bytes.", one))$value > 0), names(interfaces))
  if (!length(used)) return(list(list("net.bytes", "sent over all interfaces", "MB", 1e6)))
  lapply(used, function(one) list(paste0("net.bytes.", one), paste("sent over", interfaces[[one]]), "MB", 1e6))
}

# Rows of benchmarks that several engines ran: one alone compares nothing.
compared <- function(rows) {
  points <- unique(metric_rows(rows, "time.total")[c("framework", "benchmark")])
  rows[rows$benchmark %in% points$benchmark[duplicated(points$benchmark)], ]
}

takes <- c(engines = "cells")

draw <- function(tables) {
  every <- tables$engines
  runs <- compared(fullest_cluster(every))
  rows <- metric_rows(runs, "time.total")
  if (!nrow(rows)) return(nothing_figure(every, "wide"))
  wanted <- drawn(runs)
  metrics <- Filter(function(one) nrow(metric_rows(runs, one[[1]])) > 0, wanted)
  size <- c(width = 178, height = 32 + length(unique(rows$benchmark)) * (16 + 5 * length(unique(rows$framework))))
  beside <- every[every$nodes %in% runs$nodes & every$benchmark %in% runs$benchmark, ]
  frameworks_figure(beside, runs, metrics, size, paste(unique(rows$nodes), "nodes."),
    if (!nrow(metric_rows(runs, "energy.total"))) no_energy_text(runs))
}
