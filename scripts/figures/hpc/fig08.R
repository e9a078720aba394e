# Fig. 8: power of every node during TeraSort; where no power is measured, the use of its processors.

# Least, quartiles, median and greatest of a node's samples.
box <- function(d) {
  q <- stats::quantile(d$value, names = FALSE)
  data.frame(series = d$series[1], host = d$host[1], low = q[1], q1 = q[2], middle = q[3], q3 = q[4], high = q[5],
    source = d$source[1], n = nrow(d))
}

# Fewest samples of a box.
least_samples <- 10

not_watts_text <- function(measured) {
  why <- if (measured) "are known of the machine as a whole only" else "nothing measures here"
  paste0("Not the paper\u2019s watts, which ", why, ": the processors that each node uses.")
}

# What is drawn of each node: power where it is known of nodes, else the use of their processors.
node_rows <- function(trace, watts) {
  if (watts) return(trace[trace$domain %in% "power", ])
  trace[trace$domain %in% "cpu" & trace$metric %in% c("user", "system"), ]
}

takes <- c(power = "cells", power.trace = "samples")

draw <- function(tables) {
  runs <- tables$power[tables$power$benchmark %in% "terasort", ]
  trace <- tables$power.trace
  trace <- trace[trace$benchmark %in% "terasort" & !trace$host %in% "mean", ]
  disk <- if (any(trace$disk %in% "ssd")) "ssd" else "hdd"
  trace <- trace[trace$disk %in% disk, ]
  trace <- trace[trace$nodes == max(trace$nodes, 0), ]
  measured <- nrow(metric_rows(runs, "energy.total")) > 0
  watts <- any(trace$domain %in% "power")
  rows <- node_rows(trace, watts)
  if (nrow(rows) == 0) return(nothing_figure(runs, "wide"))
  shared <- !watts && any(sharing_hosts(runs, max(trace$nodes)) > 1)
  rows <- stats::aggregate(value ~ framework + host + rep + t_s + source, rows, sum)
  rows$value <- rows$value * if (watts) 1 else 100
  few <- stats::ave(rows$value, paste(rows$framework, rows$host), FUN = length) < least_samples
  short <- setdiff(rows$framework[few], rows$framework[!few])
  rows <- rows[!few, ]
  if (nrow(rows) == 0) return(nothing_figure(runs, "wide"))
  rows$series <- series_factor(rows$framework)
  boxes <- do.call(rbind, lapply(unname(split(rows, paste(rows$framework, rows$host))), box))
  node <- as.integer(sub("^n", "", boxes$host))
  boxes$node <- factor(node, sort(unique(node)))
  plot <- ggplot(boxes, aes(.data$node, fill = .data$series, colour = .data$series)) +
    emulated_mark(boxes, "series") +
    geom_boxplot(aes(ymin = .data$low, lower = .data$q1, middle = .data$middle, upper = .data$q3, ymax = .data$high),
      stat = "identity", width = 0.6, linewidth = 0.3, alpha = 0.3, show.legend = FALSE) +
    facet_wrap(~series, nrow = 1, labeller = as_labeller(function(id) label_of(id))) +
    series_scales(levels(boxes$series)) +
    scale_x_discrete("node (0 is the master)") +
    scale_y_continuous(if (watts) "power, W" else if (shared) "% of the machine" else "processor, %", limits = c(0, NA),
      expand = expansion(c(0, 0.05))) +
    theme_kvasir() + theme(panel.grid.major.x = element_blank(), axis.ticks.x = element_blank())
  panel_figure(list(plot), runs, rows, "wide", paste0("TeraSort on ", max(trace$nodes), " nodes, ", disk_label[[disk]],
    ". Box: quartiles and median; line: least to greatest of ", n_text(boxes$n), " samples of ",
    ngettext(length(unique(rows$rep)), "1 execution.", paste(length(unique(rows$rep)), "executions."))),
    if (!measured) no_energy_text(runs), if (shared)
      "The nodes share the processors of one machine: 100 % is all of them.",
    if (length(short)) paste0(and_text(label_of(short)), " has fewer than ", least_samples, " samples a node."),
    "The paper: on 9 nodes with SSDs the master draws least and the workers draw alike.", legend = 0,
    instead = if (!watts) not_watts_text(measured))
}
