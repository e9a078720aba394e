# Fig. 5: ReduceByKey with underused, used and overused send buffers: rows are buffer sizes, columns data sets.

takes <- c(buffering = "runs", buffering.trace = "trace")

draw <- function(tables) {
  runs <- tables$buffering
  buffers <- sort(unique(c(runs$buffer_mb, tables$buffering.trace$buffer_mb)))
  panels <- expand.grid(data = c("4B72", "4B5K", "4B42M"), buffer_mb = buffers)
  panels$xgroup <- as.integer(factor(panels$data, unique(panels$data)))
  panels$label <- paste0(panels$buffer_mb, " MB, ", data_label(panels$data, runs))
  small <- list(data = "4B72", buffer_mb = 32)
  at <- match("4B72 64", paste(panels$data, panels$buffer_mb))
  paper <- if (!is.na(at)) paper_ratio(runs, small, letters[at], 2, "paper: almost twice the 32 MB run")
  trace_figure(runs, tables$buffering.trace, panels, c("data", "buffer_mb"),
    ncol = 3, size = "page", heights = c(3, 1.1), paper = paper,
    notes = c(buffer_note(runs), "ReduceByKey. The time axes of the columns differ.")
  )
}
