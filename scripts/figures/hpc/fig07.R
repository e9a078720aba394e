# Fig. 7: power of the workers over time; where no power is measured, the use of their processors.

names_of <- c(wordcount = "WordCount", terasort = "TeraSort", pagerank = "PageRank")

# Mean level per second over hosts (workers unless the trace knows only the mean), one curve a framework and repetition.
mean_curves <- function(trace, domain, metrics, scale = 1) {
  rows <- trace[trace$domain %in% domain & trace$metric %in% metrics, ]
  workers <- !rows$host %in% c("n0", "mean")
  rows <- if (any(workers)) rows[workers, ] else rows[rows$host %in% "mean", ]
  if (nrow(rows) == 0) return(rows)
  by <- c("point", "framework", "disk", "benchmark", "nodes", "rep", "source")
  rows$second <- round(rows$t_s)
  sums <- stats::aggregate(value ~ ., rows[c(by, "second", "host", "value")], sum)
  mean_of <- stats::aggregate(value ~ ., sums[c(by, "second", "value")], mean)
  mean_of$value <- mean_of$value * scale
  mean_of[order(mean_of$point, mean_of$rep, mean_of$second), ]
}

takes <- c(power = "cells", power.trace = "samples")

draw <- function(tables) {
  runs <- tables$power
  trace <- tables$power.trace
  watts <- any(trace$domain %in% "power")
  rows <- if (watts) mean_curves(trace, "power", "power") else mean_curves(trace, "cpu", c("user", "system"), 100)
  if (nrow(rows) == 0) return(nothing_figure(runs, "page"))
  rows$series <- series_factor(rows$framework)
  disks <- intersect(names(disk_label), rows$disk)
  panel <- function(benchmark, disk) {
    rows <- rows[rows$benchmark %in% benchmark & rows$disk %in% disk, ]
    if (nrow(rows) == 0) return(NULL)
    rows <- rows[rows$nodes == max(rows$nodes), ]
    letter <- letters[2 * match(benchmark, names(names_of)) - (disk == "hdd")]
    ggplot(rows, aes(.data$second, .data$value, colour = .data$series)) +
      emulated_mark(rows) +
      (if (watts && benchmark == "terasort") geom_hline(yintercept = 240, linewidth = 0.3, linetype = "22")) +
      geom_line(aes(linetype = .data$series, group = paste(.data$point, .data$rep)), linewidth = 0.4) +
      geom_point(data = rows[!rows$point %in% rows$point[rows$second > 2], ], size = 0.8, show.legend = FALSE) +
      series_scales(levels(rows$series)) +
      scale_x_continuous("time, s", limits = c(0, NA), expand = expansion(c(0, 0.02))) +
      scale_y_continuous(if (watts) "power, W" else "processor, %", limits = c(0, NA), expand = expansion(c(0, 0.05))) +
      labs(title = paste0(letter, "\u2002", names_of[[benchmark]], ", ", disk_label[[disk]], ", ", rows$nodes[1],
        " nodes")) +
      theme_kvasir()
  }
  both <- expand.grid(disk = disks, benchmark = names(names_of))
  panels <- unname(Map(panel, as.character(both$benchmark), as.character(both$disk)))
  n <- table(unique(rows[c("point", "rep")])$point)
  panel_figure(panels, runs, rows, "page", paste0("Mean of the workers (n = ", n_text(as.integer(n)),
    "): each curve is one execution."), if (watts) "Dashed: about 240 W, the paper\u2019s maximum for TeraSort." else
    paste(no_energy_text(runs),
      "Shown instead: the share of their cores that the workers use, on which power depends."),
    "The paper: power climbs while the maps run, then falls, least in WordCount; PageRank has a cycle per job.",
    ncol = length(disks))
}
