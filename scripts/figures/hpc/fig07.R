# Fig. 7: power of the workers over time; where no power is measured, the use of their processors.

names_of <- c(wordcount = "WordCount", terasort = "TeraSort", pagerank = "PageRank")

# Level per second of the workers (of all hosts where the trace knows only the mean), one curve a framework and
# repetition: their mean, or the sum of their shares where hosts share processors.
curves <- function(trace, domain, metrics, scale = 1, summed = FALSE) {
  rows <- trace[trace$domain %in% domain & trace$metric %in% metrics, ]
  workers <- !rows$host %in% c("n0", "mean")
  rows <- if (any(workers)) rows[workers, ] else rows[rows$host %in% "mean", ]
  if (nrow(rows) == 0) return(rows)
  by <- c("point", "framework", "disk", "benchmark", "nodes", "rep", "source")
  rows$second <- round(rows$t_s)
  hosts <- stats::aggregate(value ~ ., rows[c(by, "second", "host", "metric", "value")], mean)
  hosts <- stats::aggregate(value ~ ., hosts[c(by, "second", "host", "value")], sum)
  hosts <- complete_moments(hosts, paste(hosts$point, hosts$rep), hosts$second)
  level <- stats::aggregate(value ~ ., hosts[c(by, "second", "value")], if (summed) sum else mean)
  level$value <- level$value * scale
  level[order(level$point, level$rep, level$second), ]
}

# Fewest samples of a curve.
least_samples <- 5

# One panel: a benchmark on a disk, on the largest cluster that ran it. NULL without rows.
benchmark_panel <- function(rows, benchmark, disk, axis) {
  watts <- axis %in% "power, W"
  levels <- levels(rows$series)
  rows <- rows[rows$benchmark %in% benchmark & rows$disk %in% disk, ]
  if (nrow(rows) == 0) return(NULL)
  rows <- rows[rows$nodes == max(rows$nodes), ]
  letter <- letters[2 * match(benchmark, names(names_of)) - (disk == "hdd")]
  ggplot(rows, aes(.data$second, .data$value, colour = .data$series)) +
    emulated_mark(rows) +
    (if (watts && benchmark == "terasort") geom_hline(yintercept = 240, linewidth = 0.3, linetype = "22")) +
    geom_line(aes(linetype = .data$series, group = paste(.data$point, .data$rep)), linewidth = 0.4) +
    series_scales(levels) +
    scale_x_continuous("time, s", limits = c(0, NA), expand = expansion(c(0, 0.02))) +
    scale_y_continuous(axis, limits = c(0, NA), expand = expansion(c(0, 0.05))) +
    labs(title = paste0(letter, "\u2002", names_of[[benchmark]], ", ", disk_label[[disk]], ", ", rows$nodes[1],
      " nodes")) +
    theme_kvasir()
}

# The axis, and whose level a curve is. whole: power is known of the machine alone.
words_of <- function(watts, whole, shared) {
  if (whole) return(list(axis = "power per host, W", who = "Power of all hosts, the master too, over their number"))
  if (watts) return(list(axis = "power, W", who = "Mean of the workers"))
  if (!shared) return(list(axis = "processor, %", who = "Mean of the workers"))
  list(axis = "% of the machine", who = "All workers together, which share the processors of one machine")
}

takes <- c(power = "cells", power.trace = "samples")

draw <- function(tables) {
  runs <- tables$power
  trace <- tables$power.trace
  watts <- any(trace$domain %in% "power")
  shared <- !watts && any(sharing_hosts(runs, max(trace$nodes, 1)) > 1)
  every <- if (watts) curves(trace, "power", "power") else curves(trace, "cpu", c("user", "system"), 100, shared)
  rows <- every[stats::ave(every$value, paste(every$point, every$rep), FUN = length) >= least_samples, ]
  if (nrow(rows) == 0) return(nothing_figure(runs, "page"))
  short <- setdiff(every$framework, rows$framework)
  rows$series <- series_factor(rows$framework)
  disks <- intersect(names(disk_label), rows$disk)
  whole <- watts && !any(trace$domain %in% "power" & !trace$host %in% "mean")
  said <- words_of(watts, whole, shared)
  both <- expand.grid(disk = disks, benchmark = names(names_of))
  panels <- Map(function(benchmark, disk) benchmark_panel(rows, benchmark, disk, said$axis),
    as.character(both$benchmark), as.character(both$disk))
  n <- table(unique(rows[c("point", "rep")])$point)
  panel_figure(unname(panels), runs, rows, "page",
    paste0(said$who, " (n = ", n_text(as.integer(n)), "): each curve is one execution."),
    if (!watts) no_energy_text(runs),
    if (watts && !whole) "Dashed: about 240 W, the paper\u2019s maximum for TeraSort.",
    if (length(short)) paste0(and_text(label_of(short)), " ended before its fifth sample and has no curve."),
    "The paper: power climbs while the maps run, then falls, least in WordCount; PageRank has a cycle per job.",
    ncol = length(disks), instead = if (!watts)
      "Not the paper\u2019s watts, which nothing measures here: the use of the processors, on which they depend.")
}
