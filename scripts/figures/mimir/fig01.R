# Fig. 1: power over time of Map+Aggregate and GroupByKey on KNL and KNM under three caps.

takes <- c(stages = "runs", stages.trace = "trace")

draw <- function(tables) {
  runs <- tables$stages
  panels <- data.frame(
    app = c("map-aggregate", "map-aggregate", "group-by-key", "group-by-key"),
    platform = c("knl", "knm", "knl", "knm"),
    xgroup = 1
  )
  ranks <- runs$ranks[match(panels$platform, runs$platform)]
  panels$label <- paste0(label_of(panels$app), ", ", toupper(panels$platform),
    ifelse(is.na(ranks), "", paste0(" (", ranks_text(ranks), ")")))
  said <- "paper: +333 to +355 % over Map+Aggregate"
  paper <- rbind(
    paper_ratio(runs, list(app = "map-aggregate", platform = "knl"), "c", c(4.33, 4.55), said),
    paper_ratio(runs, list(app = "map-aggregate", platform = "knm"), "d", c(4.33, 4.55), said)
  )
  trace_figure(runs, tables$stages.trace, panels, c("app", "platform"),
    ncol = 2, size = "tall", heights = c(3.2, 1), paper = paper,
    notes = if (!all(ranks %in% c(NA, 68, 72))) {
      "KNL and KNM: the paper's platforms, told apart here by the number of ranks."
    },
    limit = list(value = 160, text = "paper: no run above 160 W")
  )
}
