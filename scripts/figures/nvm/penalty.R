# How the gain falls as writes get slower: map phase and job over Hadoop's own collector, by workload.

# Write slow-down of a framework: time of a write over one to DRAM; NA for one that is no point of the sweep.
slow_down <- function(framework) {
  known <- c("mr-dram" = 1, "mr-nvm" = 10)
  number <- suppressWarnings(as.numeric(sub("^mr-nvm-", "", framework)))
  ifelse(framework %in% names(known), known[framework], number)
}

# Where medians over the slow-down cross 1, between neighbours on logarithmic axes: "Sort: 120x".
crossing <- function(rows) {
  middle <- stats::aggregate(value ~ slow, rows, stats::median)
  middle <- middle[order(middle$slow), ]
  above <- which(middle$value > 1)
  if (!length(above)) return(paste0("beyond ", plain_text(max(middle$slow)), "x"))
  i <- above[1]
  if (i == 1) return("no gain at any")
  log_y <- log(middle$value[i - 0:1])
  share <- log_y[2] / (log_y[2] - log_y[1])
  paste0("at ", signif(exp(log(middle$slow[i - 1]) + share * log(middle$slow[i] / middle$slow[i - 1])), 2), "x")
}

takes <- c(penalty = "sized", penalty.stages = "stages")

draw <- function(tables) {
  runs <- tables$penalty
  whole <- over_framework(stage_runs(tables$penalty.stages))
  job <- over_framework(metric_rows(runs, "time.total"))
  columns <- c("point", "rep", "framework", "disk", "benchmark", "value", "metric", "source")
  whole$metric <- rep("map phase", nrow(whole))
  job$metric <- rep("job", nrow(job))
  rows <- rbind(whole[columns], job[columns])
  optane <- rows[rows$framework %in% "mr-optane" & rows$metric == "map phase", ]
  rows$slow <- unname(slow_down(rows$framework))
  rows <- rows[!is.na(rows$slow), ]
  if (!nrow(rows)) return(nothing_figure(runs, "tall"))
  rows$series <- series_factor(rows$benchmark)
  kinds <- unique(rows[c("metric", "disk")])
  kinds <- kinds[order(kinds$metric != "map phase", match(kinds$disk, names(all_disks))), ]
  panels <- lapply(seq_len(nrow(kinds)), function(i) {
    here <- rows[rows$metric == kinds$metric[i] & rows$disk == kinds$disk[i], ]
    lines_panel(here, "slow", "time of a write over one to DRAM", "time over MR\u2019s",
      paste0(letters[i], "\u2002", kinds$metric[i], ", ", all_disks[[kinds$disk[i]]]),
      more = list(ratio_axis(here, "time over MR\u2019s"), plain_log_axis_x(), unity_line()))
  })
  named <- function(d) paste(d$metric, all_disks[d$disk], sep = " on ")
  gone <- lapply(split(rows, factor(named(rows), named(kinds))), function(d) {
    vapply(split(d, droplevels(d$series)), crossing, "")
  })
  said <- vapply(names(gone), function(name) {
    paste0(name, ": ", paste(label_of(names(gone[[name]])), gone[[name]], collapse = ", "), ".")
  }, "")
  optane <- optane[optane$disk %in% kinds$disk[1], ]
  middle <- if (nrow(optane)) stats::aggregate(value ~ benchmark, optane, stats::median)
  panel_figure(panels, runs, rows, "page", "The gain is gone, by medians:", unname(said),
    if (nrow(optane)) paste0("Optane\u2019s published figures, ", named(kinds[1, ]), " over MR\u2019s: ",
      paste(label_of(middle$benchmark), signif(middle$value, 2), collapse = ", "), "."),
    "Points: all runs, each over MR\u2019s of the same repetition; line: median.", nvm_text(runs), key = 8,
    ncol = max(1, length(unique(kinds$disk))), instead = nvm_note)
}
