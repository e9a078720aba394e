# Fig. 6: does the sampling period change what is seen, or the runtime? Two data sets, three periods.

takes <- c(sampling = "runs", sampling.trace = "trace")

draw <- function(tables) {
  runs <- tables$sampling
  panels <- expand.grid(sample_ms = c(100, 50, 5), data = c("4B72", "4B42M"))
  panels$xgroup <- as.integer(factor(panels$data, unique(panels$data)))
  panels$label <- paste0(panels$sample_ms, " ms, ", data_label(panels$data, runs))
  trace_figure(runs, tables$sampling.trace, panels, c("data", "sample_ms"),
    ncol = 3, size = "tall", heights = c(2.2, 1),
    notes = "ReduceByKey. The time axes of the rows differ."
  )
}
