# Spills in non-volatile memory: the flow of a map task, with the bytes that went to disks.

boxes <- function() {
  rbind(
    flow_box(20, 0, "read, map, collect", "task", 34), flow_box(62, 0, "sort buffer", "task"),
    flow_box(100, 0, "spill", "task"), flow_box(138, 0, "merge", "task"),
    flow_box(119, -18, "region in NVRAM", "fast", 50), flow_box(62, -18, "local directory", "disk", 34),
    flow_box(20, -18, "shuffle", "task", 34)
  )
}

arrows <- function() {
  rbind(
    flow_arrow(37, 0, 47, 0), flow_arrow(77, 0, 85, 0), flow_arrow(100, -4, 106, -14), flow_arrow(130, -14, 134, -4),
    flow_arrow(140, -4, 138, -14), flow_arrow(94, -18, 79, -18), flow_arrow(45, -18, 37, -18)
  )
}

# Megabytes of a stage over all map tasks of a run, median of a framework's runs of a benchmark.
run_mb <- function(stages, framework, benchmark, stage) {
  rows <- stages[stages$framework %in% framework & stages$benchmark %in% benchmark & stages$stage %in% stage, ]
  if (!nrow(rows)) return("not run")
  bytes <- stats::median(stats::aggregate(value ~ point + rep, rows, sum)$value)
  paste(format(round(bytes / 1e6, 1), nsmall = 1, trim = TRUE), "MB")
}

takes <- c(spill = "sized", spill.stages = "stages")

draw <- function(tables) {
  runs <- tables$spill
  stages <- tables$spill.stages
  benchmark <- intersect(c("terasort", "sort"), stages$benchmark)[1]
  mb <- function(framework, stage) run_mb(stages, framework, benchmark, stage)
  said <- function(framework) {
    paste0(label_of(framework), ": ", mb(framework, "disk_spill"), " until all was spilled, ",
      mb(framework, "disk_write"), " in all, of a map output of ", mb(framework, "output"), ".")
  }
  words <- data.frame(x = 3, y = c(9, -31, -37, -43), text = c(
    "Spills are written to a region of byte-addressable memory, and merged from there into another.",
    paste0("What the map tasks of one run gave to disks, by the kernel\u2019s count",
      if (!is.na(benchmark)) paste0(", ", label_of(benchmark)), ":"),
    said("mr"), said("mr-nvm")))
  text <- caption("wide", "Boxes: the plug-in\u2019s own steps, after the slides. The local directory has a link to",
    "the output in memory; with MR-NVM what goes to a disk are the tasks\u2019 logs and the index of the output.",
    nvm_text(runs), missing_text(runs))
  list(plot = flow_plot(boxes(), arrows(), words, c(0, 158), c(-47, 13)) +
    labs(caption = text, subtitle = subtitle("wide", run_note(runs, runs[0, ], nvm_note))), size = "wide")
}
