# Fig. B3: a fat tree of 1,024 hosts, 10GbE at the hosts and 40GbE between switches.

classes <- c(power.edge.rel = "10GbE links", power.core.rel = "40GbE links", power.rel = "all links")
times <- c(makespan = "total runtime", runtime.mean = "average runtime")

takes <- c(fabric = "netsim", parameters = "parameters")

draw <- function(tables) {
  runs <- tables$fabric
  # What a link draws that always sleeps, % of an active one: no policy can save it.
  floor_percent <- 100 * parameter_number(tables$parameters, "eee.lpi_power")
  all <- metric_rows(runs, c(names(classes), names(times)))
  series <- levels(series_factor(all$setting))
  panel <- function(rows, names, title, bars, more = NULL) {
    if (nrow(rows) == 0) return(NULL)
    rows$place <- factor(names[rows$metric], names)
    rows$series <- factor(sub("^core:", "", rows$setting), series)
    columns_panel(rows, linear_axis(NULL, bars), title, more = more, bars = bars, fine = TRUE)
  }
  power <- all[all$metric %in% names(classes), ]
  power$value <- 100 * power$value - floor_percent
  time <- relative_to(all[all$metric %in% names(times), ], "nopa", "nodes")
  panels <- list(
    panel(power, classes, "a\u2002power above that of sleeping links, %", TRUE),
    panel(time[!time$setting %in% "nopa", ], times, "b\u2002runtime, times standard EEE", FALSE, list(unity_line()))
  )
  simulation_figure(panels, runs, all, "wide", widths = c(3, 2),
    paste(and_text(count_text(sort(unique(all$nodes)))), "hosts, deep buffers, tuned TCP."),
    paste0("Power: % of links that are always on, less the ", floor_percent, " % that sleeping links draw."),
    "1ms1000 on 40GbE links only.",
    seeds_text(all[all$metric == "makespan", ], "column or tick: median"), "Not in the paper.")
}
