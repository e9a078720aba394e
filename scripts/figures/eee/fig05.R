# Fig. 5: runtime over the stall time before a port sleeps, no coalescing, small jobs.

takes <- c(stall = "netsim")

draw <- function(tables) {
  runs <- tables$stall
  longest <- max(runs$stall_us, -Inf, na.rm = TRUE)
  take <- function(metric) {
    rows <- relative_to(metric_rows(runs, metric), longest, "nodes", "stall_us")
    rows$series <- series_factor(as.character(rows$nodes))
    rows
  }
  said <- data.frame(x = 0, y = 1.01, text = "paper: about 1 %", hjust = -0.12)
  over <- "times that of the longest"
  axes <- list(unity_line(), stall_axis(runs))
  rows <- take("runtime.mean")
  panels <- list(
    lines_panel(rows, "stall_us", "stall time", over, "a\u2002average runtime of a job", said, axes),
    lines_panel(take("makespan"), "stall_us", "stall time", over, "b\u2002total runtime", said, axes)
  )
  simulation_figure(panels, runs, rows, "wide", seeds_text(rows),
    "Small jobs, no coalescing. At 0 the port sleeps at once: standard EEE. Values are over the median at the longest",
    "stall time. Hollow diamonds: the overhead that the paper gives for a stall time of zero.")
}
