# Fig. 2: what the combiner saves: GroupByKey without and ReduceByKey with it, on a data set of few unique words.

takes <- c(combiner = "runs", combiner.trace = "trace")

draw <- function(tables) {
  runs <- tables$combiner
  panels <- data.frame(app = c("group-by-key", "reduce-by-key"), xgroup = 1)
  panels$label <- paste0(label_of(panels$app), c(" (no combiner)", " (combiner before and after the exchange)"))
  paper <- paper_ratio(runs, list(app = "group-by-key"), "b", 0.54, "paper: up to 46 % less than GroupByKey")
  trace_figure(runs, tables$combiner.trace, panels, "app",
    ncol = 2, size = "wide", heights = c(2.2, 1), paper = paper,
    notes = data_note(runs)
  )
}
