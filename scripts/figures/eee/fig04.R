# Fig. 4: runtime over a fixed latency added to every link, without EEE.

takes <- c(latency = "netsim", placement = "netsim")

draw <- function(tables) {
  runs <- rbind(tables$latency, tables$placement)
  take <- function(metric) {
    rows <- relative_to(metric_rows(runs, metric), 0, c("workload", "nodes", "variant"), "latency_us")
    rows$series <- series_factor(ifelse(rows$variant %in% "random", "random", rows$workload))
    rows[rows$latency_us > 0, ]
  }
  panel <- function(rows, title) {
    said <- data.frame(x = c(100, 5000), y = 1, text = c("paper, small jobs", "paper, batch job"), hjust = 0.5,
      vjust = 1.6)
    lines_panel(rows, "latency_us", NULL, NULL, title, said,
      list(unity_line(), ratio_axis(rows, "times that without"), microseconds_axis("latency added to each link")))
  }
  rows <- take("runtime.mean")
  panels <- list(panel(rows, "a\u2002average runtime of a job"), panel(take("makespan"), "b\u2002total runtime"))
  simulation_figure(panels, runs, rows, "wide", seeds_text(rows),
    "Without EEE, default TCP, shallow buffers. As many blocks on each worker, or at random.",
    "Hollow diamonds: the latencies beyond which the paper sees the runtime rise,",
    "about 100 \u00b5s for small jobs and about 5 ms for the batch job.")
}
