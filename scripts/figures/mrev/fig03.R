# Fig. 3: what the hosts use during TeraSort: processor, load, disk, interfaces.

looks <- c(state_colour, way_colour)

# One panel: lines, or stacked areas, of some metrics of a domain over time, and when tasks began and maps had ended.
panel <- function(trace, domain, metrics, title, axis, scale = 1, marks = NULL, stacked = FALSE, top = NA) {
  rows <- trace[trace$domain %in% domain & trace$metric %in% metrics, ]
  if (nrow(rows) == 0) return(words_panel("not measured on these hosts", title))
  rows$series <- factor(rows$metric, if (stacked) rev(metrics) else metrics)
  rows$value <- rows$value * scale
  one <- length(metrics) == 1
  plot <- ggplot(rows, aes(.data$t_s, .data$value)) + emulated_mark(rows)
  plot <- plot + if (stacked) geom_area(aes(fill = .data$series)) else
    geom_line(aes(colour = .data$series, linetype = .data$series), linewidth = 0.4, show.legend = !one)
  plot + marks +
    scale_colour_manual(NULL, values = c(looks, "1min" = "#0072B2", utilisation = "#0072B2")) +
    scale_fill_manual(NULL, values = looks, breaks = metrics) +
    scale_linetype_manual(NULL, values = rep_len(c("solid", "42"), 2)[seq_along(metrics)], breaks = metrics) +
    scale_y_continuous(axis, limits = c(0, top), expand = expansion(c(0, 0.05)), breaks = scales::breaks_pretty(4)) +
    scale_x_continuous(limits = c(0, NA), expand = expansion(c(0, 0.01))) +
    labs(title = title, x = if (substr(title, 1, 1) %in% c("e", "f")) "time, s") + theme_kvasir() +
    theme(legend.position = "top", legend.key.width = unit(5, "mm"))
}

takes <- c(resources = "cells", resources.trace = "samples", resources.tasks = "tasks")

draw <- function(tables) {
  runs <- tables$resources
  trace <- tables$resources.trace
  largest <- max(trace$nodes, 0)
  trace <- trace[trace$nodes == largest & trace$host %in% "mean", ]
  trace <- trace[trace$point %in% utils::head(trace$point, 1), ]
  trace <- trace[trace$rep == min(trace$rep, Inf), ]
  if (nrow(trace) == 0) return(nothing_figure(runs, "wide"))
  tasks <- tables$resources.tasks
  tasks <- tasks[tasks$point %in% trace$point & tasks$rep == trace$rep[1] & tasks$kind %in% "map", ]
  marks <- if (nrow(tasks)) list(
    annotate("rect", xmin = 0, xmax = min(tasks$start_s), ymin = -Inf, ymax = Inf, fill = "#8C8C8C", alpha = 0.2),
    geom_vline(xintercept = max(tasks$end_s), linewidth = 0.3, linetype = "22"))
  sharing <- sharing_hosts(runs, largest)
  trace <- of_machine(trace, sharing)
  draw <- function(domain, metrics, letter, title, axis, ...) {
    panel(trace, domain, metrics, paste0(letter, "\u2002", title), axis, marks = marks, ...)
  }
  trace <- trace[trace$domain %in% c("cpu", "load", "disk", "net:gbe", "net:ib"), ]
  fast <- max(trace$value[startsWith(trace$domain, "net:")], 0) / 1e6
  panels <- list(
    draw("cpu", names(state_colour), "a", "CPU utilisation", if (sharing > 1) "% of the machine" else "%", scale = 100,
      stacked = TRUE),
    draw("load", "1min", "b", "CPU load", if (sharing > 1) "threads of all hosts" else "threads, 1 min mean"),
    draw("disk", c("read", "written"), "c", "disk traffic", "MB/s", scale = 1e-6),
    draw("disk", "utilisation", "d", "disk utilisation", "%", scale = 100, top = 100),
    draw("net:gbe", c("received", "sent"), "e", "GbE traffic", "MB/s", scale = 1e-6, top = fast),
    draw("net:ib", c("received", "sent"), "f", "IPoIB traffic", "MB/s", scale = 1e-6, top = fast)
  )
  instead <- if (largest < 13 || !paper_size(runs, 128)) paste0("One run of ", round(max(trace$t_s)), "\u00a0s on ",
    largest, " nodes; the paper: 7 minutes on 13.")
  text <- caption("page", paste0(label_of(trace$framework[1]), ", ", largest, " nodes, ",
    disk_label[trace$disk[1]], ", execution ", trace$rep[1], " (n = 1): means over all nodes, the master too."),
    if (nrow(tasks)) "Grey: until the first task runs. Dashed: end of the last map task.",
    if (sharing > 1) paste("Panels a and b: all", largest, "hosts, which share the processors of one machine."),
    "Load is a mean of the last minute. Panels e and f have one scale.",
    terasort_size_text(runs, "128"), rates_text(runs), missing_text(runs), source_text(trace$source))
  plot <- wrap_plots(panels, ncol = 2) + plot_annotation(subtitle = subtitle("page", run_note(runs, trace, instead)),
    caption = text, theme = theme_kvasir())
  list(plot = plot, size = "page")
}
