# The map phase of each design: before the spills, spill and merge, and how much faster the whole is, under its bound.

takes <- c(spill = "sized", spill.stages = "stages")

# What a map phase without spill and merge would gain over MR's: a grey line at each place.
bound_ticks <- function(stages, rows) {
  whole <- stage_runs(stages)
  rest <- stage_runs(stages, before_spill)
  whole$value <- whole$value / rest$value[match(key_of(whole, run_columns), key_of(rest, run_columns))]
  mine <- whole[whole$framework %in% "mr", ]
  mine$place <- workload_places(mine, rows)
  mine <- mine[!is.na(mine$place), ]
  if (!nrow(mine)) return(NULL)
  middle <- stats::aggregate(value ~ place, mine, stats::median)
  middle$x <- as.integer(middle$place)
  geom_segment(aes(.data$x - 0.4, .data$value, xend = .data$x + 0.4, yend = .data$value), middle, inherit.aes = FALSE,
    linewidth = 0.35, colour = grey_line)
}

draw <- function(tables) {
  runs <- tables$spill
  stages <- tables$spill.stages
  whole <- stage_runs(stages)
  if (!nrow(whole)) return(nothing_figure(runs, "wide"))
  panel <- function(wanted, title) {
    columns_panel(workload_rows(stage_runs(stages, wanted), whole), linear_axis("time of a map task, s"), title,
      fine = TRUE)
  }
  faster <- over_framework(whole, faster = TRUE)
  faster <- workload_rows(faster[!faster$framework %in% "mr", ], whole)
  said <- data.frame(benchmark = c("sort", "terasort"), value = c(2.37, 2.48))
  speed <- columns_panel(faster, linear_axis("times as fast as MR's"), "c\u2002whole map phase", bars = FALSE,
    marks = if (nrow(faster)) rmr_nvm_marks(faster, said), more = list(unity_line(), bound_ticks(stages, whole)),
    fine = TRUE)
  panel_figure(list(panel(before_spill, "a\u2002read + map + collect"),
    panel(spill_and_merge, "b\u2002spill + merge"), speed), runs, whole, "wide",
    runs_text(whole, "tick: median"), "c, grey: what a map phase without spill and merge would gain.",
    "Hollow diamonds: the slides\u2019 2.37 and 2.48.", nvm_text(runs), instead = nvm_note)
}
