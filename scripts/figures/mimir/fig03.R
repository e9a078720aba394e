# Fig. 3: ReduceByKey on data sets of falling combinability: the three of nine that the paper prints.

takes <- c(combinability = "runs", combinability.trace = "trace")

draw <- function(tables) {
  runs <- tables$combinability
  panels <- data.frame(data = c("4B72", "4B1M", "4B50M"), xgroup = 1:3)
  panels$label <- data_label(panels$data, runs)
  trace_figure(runs, tables$combinability.trace, panels, "data",
    ncol = 3, size = "wide", heights = c(2, 1),
    notes = c("ReduceByKey.", buffer_note(runs), "The time axes of the panels differ.")
  )
}
