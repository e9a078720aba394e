# The five stages of a map task with Hadoop's own collector, and how spill and merge compare with the rest.

takes <- c(profile = "sized", profile.stages = "stages")

draw <- function(tables) {
  runs <- tables$profile
  stages <- tables$profile.stages
  whole <- stage_runs(stages)
  if (!nrow(whole)) return(nothing_figure(runs, "wide"))
  each <- do.call(rbind, lapply(names(stage_colour), function(stage) {
    rows <- stage_runs(stages, stage)
    middle <- stats::aggregate(value ~ benchmark + disk, rows, stats::median)
    cbind(middle, stage = rep(stage, nrow(middle)))
  }))
  each$place <- workload_places(each, whole)
  each$stage <- factor(each$stage, rev(names(stage_colour)))
  bars <- ggplot(each, aes(.data$place, .data$value, fill = .data$stage)) +
    geom_col(width = 0.6) +
    scale_fill_manual(NULL, values = stage_colour, breaks = names(stage_colour)) +
    linear_axis("time of a map task, s") +
    labs(x = NULL, title = "a\u2002stages") + theme_places()
  ratio <- whole
  rest <- stage_runs(stages, before_spill)
  late <- stage_runs(stages, spill_and_merge)
  ratio$value <- late$value[match(key_of(ratio, run_columns), key_of(late, run_columns))] /
    rest$value[match(key_of(ratio, run_columns), key_of(rest, run_columns))]
  ratio$metric <- rep("ratio", nrow(ratio))
  ratio <- workload_rows(ratio)
  said <- data.frame(benchmark = c("sort", "terasort"), y = c(1.71, 3.75))
  marks <- merge(unique(ratio[c("benchmark", "place")]), said)
  marks <- if (nrow(marks)) data.frame(place = marks$place, series = "mr", y = marks$y, text = marks$y, hjust = -0.4)
  points <- columns_panel(ratio, linear_axis("(spill + merge) / (read + map + collect)"), "b\u2002spill and merge",
    bars = FALSE, marks = marks_beside(marks, ratio), more = unity_line())
  panel_figure(list(bars, points), runs, ratio, "wide", "a: median of the runs' mean map task.",
    paste0("b: ", runs_text(ratio, "tick: median")), "Hollow diamonds: the slides\u2019.", nvm_text(runs),
    widths = c(1.3, 1))
}
