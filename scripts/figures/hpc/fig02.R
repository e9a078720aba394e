# Fig. 2: how the phases of MapReduce overlap in each framework, from the job history of TeraSort.

phases <- c("start-up" = "#BDBDBD", map = "#0072B2", shuffle = "#E69F00", merge = "#CC79A7", reduce = "#009E73")

# Tasks of each framework's first execution that ended well, on the largest cluster where Hadoop's maps run in several
# waves; on the one with most of them where none has three.
shown_tasks <- function(tasks) {
  tasks <- tasks[tasks$status %in% "SUCCEEDED" & tasks$phase %in% names(phases), ]
  tasks <- tasks[tasks$disk %in% utils::tail(sort(unique(tasks$disk)), 1), ]
  if (!nrow(tasks)) return(tasks)
  tasks <- tasks[tasks$rep == stats::ave(tasks$rep, paste(tasks$framework, tasks$nodes), FUN = min), ]
  maps <- tasks[tasks$phase == "map" & tasks$framework == tasks$framework[1], ]
  waves <- tapply(maps$host, maps$nodes, function(hosts) length(hosts) / length(unique(hosts)))
  enough <- names(waves)[waves >= min(3, max(waves))]
  tasks[tasks$nodes == max(as.numeric(enough)), ]
}

# Share of the time in which some reduce task shuffles that lies before the end of the last map; NA without a shuffle.
overlap <- function(tasks) {
  shuffle <- tasks[tasks$phase == "shuffle", ]
  from <- min(shuffle$start_s, Inf)
  to <- max(shuffle$end_s, -Inf)
  if (to <= from) return(NA)
  max(0, min(1, (max(tasks$end_s[tasks$phase == "map"], -Inf) - from) / (to - from)))
}

takes <- c(terasort = "cells", terasort.tasks = "tasks")

draw <- function(tables) {
  runs <- tables$terasort
  tasks <- shown_tasks(tables$terasort.tasks)
  if (nrow(tasks) == 0) return(nothing_figure(runs, "wide"))
  tasks$series <- series_factor(tasks$framework)
  tasks$phase <- factor(tasks$phase, rev(names(phases)))
  within <- split(tasks, paste(tasks$series, tasks$phase))
  tasks <- do.call(rbind, lapply(unname(within), function(d) {
    d <- d[order(d$start_s, d$end_s), ]
    d$y <- as.integer(d$phase) + 0.4 - 0.8 * (seq_len(nrow(d)) - 0.5) / nrow(d)
    d$thick <- 0.8 / nrow(d)
    d
  }))
  spans <- do.call(rbind, lapply(unname(within), function(d) {
    data.frame(series = d$series[1], phase = d$phase[1], from = min(d$start_s), to = max(d$end_s))
  }))
  maps <- spans[spans$phase == "map", ]
  shares <- vapply(split(tasks, tasks$series), overlap, 0)
  named <- function(id) {
    share <- paste0(round(100 * shares[id]), " % of the shuffle\u2019s time before the end of the last map")
    paste0(label_of(id), ": ", ifelse(is.na(shares[id]), "no shuffle", share))
  }
  start <- data.frame(series = maps$series, phase = factor("start-up", levels(tasks$phase)), to = maps$from)
  plot <- ggplot(tasks) +
    geom_rect(aes(xmin = 0, xmax = .data$to, ymin = as.integer(.data$phase) - 0.4,
      ymax = as.integer(.data$phase) + 0.4, fill = .data$phase), start) +
    geom_rect(aes(xmin = .data$from, xmax = .data$to, ymin = as.integer(.data$phase) - 0.4,
      ymax = as.integer(.data$phase) + 0.4, fill = .data$phase), spans, alpha = 0.18) +
    geom_rect(aes(xmin = .data$start_s, xmax = .data$end_s, ymin = .data$y - .data$thick / 2,
      ymax = .data$y + .data$thick * 0.4, fill = .data$phase)) +
    geom_vline(aes(xintercept = .data$to), maps, linewidth = 0.3, linetype = "22") +
    facet_wrap(~series, ncol = 1, labeller = as_labeller(named)) +
    scale_fill_manual(values = phases, guide = "none") +
    scale_y_continuous(NULL, breaks = seq_along(phases), labels = rev(names(phases)), expand = expansion(add = 0.15)) +
    scale_x_continuous("time since the start of the run, s", limits = c(0, NA), expand = expansion(c(0, 0.02))) +
    theme_kvasir() + theme(panel.grid.major.y = element_blank(), axis.ticks.y = element_blank())
  size <- if (nlevels(tasks$series) > 2) "page" else "tall"
  text <- caption(size, paste0("TeraSort on ", tasks$nodes[1], " nodes, ", disk_label[tasks$disk[1]], ", execution ",
    and_text(sort(unique(tasks$rep))), " (n = 1)."),
    "Each bar is one task\u2019s phase, pale: from the first to the last of a phase, dashed:",
    "end of the last map, grey: until the first task runs. The paper draws a sketch without times: shuffle and merge",
    "overlap the maps in Hadoop; UDA, RDMA-Hadoop and HOMR overlap more, DataMPI sends while it maps.",
    terasort_size_text(runs, "50"), rates_text(runs), missing_text(runs),
    "Source: the job history, or what the engine itself records of its ranks.")
  without <- names(shares)[startsWith(names(shares), "hadoop") & shares %in% 0]
  instead <- if (length(without)) paste0("Not as in the paper\u2019s sketch: no reduce task of ",
    and_text(label_of(without)), " shuffled before the last map had ended.")
  list(plot = plot + labs(caption = text, subtitle = subtitle(size, run_note(runs, runs[0, ], instead))), size = size)
}
