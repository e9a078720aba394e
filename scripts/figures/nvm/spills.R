# The cost of spill and merge of each map of Sort, sorted.

takes <- c(spill = "sized", spill.stages = "stages")

draw <- function(tables) {
  runs <- tables$spill[tables$spill$benchmark %in% "sort", ]
  stages <- tables$spill.stages
  stages <- stages[stages$benchmark %in% "sort" & stages$stage %in% spill_and_merge, ]
  if (!nrow(stages)) return(nothing_figure(runs, "wide"))
  maps <- stats::aggregate(value ~ ., stages[c(run_columns, "job", "task", "value")], sum)
  maps$rank <- stats::ave(maps$value, key_of(maps, run_columns), FUN = function(v) rank(v, ties.method = "first"))
  maps$metric <- rep("spill", nrow(maps))
  maps$source <- rep("measured:clock", nrow(maps))
  ticks <- scales::breaks_width(max(1, round(max(maps$rank) / 8)))
  panels <- lapply(intersect(names(all_disks), maps$disk), function(disk) {
    here <- maps[maps$disk %in% disk, ]
    here$series <- factor(here$framework, levels(series_factor(maps$framework)))
    lines_panel(here, "rank", "map task, by its cost", "spill + merge, s", all_disks[[disk]],
      more = list(linear_axis("spill + merge, s"), scale_x_continuous(breaks = ticks)))
  })
  panel_figure(panels, runs, maps, "wide", "Points: map tasks of all runs, sorted within each; line: median.",
    "The slides have 96 map tasks; RMR-NVM\u2019s curve lies below all others.", nvm_text(runs), key = 8,
    instead = nvm_note)
}
