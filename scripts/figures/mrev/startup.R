# What an engine costs to start: seconds until its first task runs, and how much of a run of each benchmark that is.

# "1.9 (1.8 to 2.1)", or why there is none.
spread_cell <- function(values) {
  if (!length(values)) return("none measured")
  text <- function(x) format(signif(x, 3), trim = TRUE)
  paste0(text(stats::median(values)), " (", text(min(values)), " to ", text(max(values)), ")")
}

startup_row <- function(runs, framework, benchmark) {
  of <- function(metric) {
    rows <- metric_rows(runs, metric)
    rows <- rows[rows$framework %in% framework & rows$benchmark %in% benchmark, ]
    rows[order(rows$point, rows$rep), ]
  }
  startup <- of("time.startup")
  total <- of("time.total")
  share <- 100 * startup$value / total$value[match(run_key(startup), run_key(total))]
  c(label_of(framework), label_of(benchmark), spread_cell(startup$value), spread_cell(total$value),
    if (nrow(startup)) paste0(format(signif(stats::median(share), 2)), " %") else "", paste(nrow(total)))
}

takes <- c(engines = "cells")

draw <- function(tables) {
  every <- tables$engines
  runs <- fullest_cluster(every)
  total <- metric_rows(runs, "time.total")
  if (!nrow(total)) return(nothing_figure(every, "wide"))
  points <- unique(total[c("framework", "benchmark")])
  points <- points[order(points$benchmark), ]
  rows <- do.call(rbind, Map(function(framework, benchmark) startup_row(runs, framework, benchmark), points$framework,
    points$benchmark))
  rownames(rows) <- NULL
  table_figure(rows, c("framework", "benchmark", "start-up, s", "whole run, s", "share", "runs"),
    c(0, 34, 94, 134, 154, 172), c(FALSE, FALSE, TRUE, TRUE, TRUE, TRUE),
    data.frame(from = 58, to = 172, text = "median (least to most)"),
    paste0("Start-up: until the first task runs, on a cluster whose daemons run; ", unique(total$nodes), " nodes."),
    rates_text(every), missing_text(every), source_text(total$source), note = run_note(runs, total), lines = 4)
}
