# Memory that needs no new design: a RAM disk for the local directories, and HDFS's own cache of blocks.

takes <- c(localdir = "sized")

draw <- function(tables) {
  runs <- tables$localdir
  rows <- metric_rows(runs, "time.total")
  if (!nrow(rows)) return(nothing_figure(runs, "wide"))
  disks <- intersect(names(all_disks), rows$disk)
  panels <- lapply(levels(series_factor(rows$benchmark)), function(benchmark) {
    here <- rows[rows$benchmark %in% benchmark, ]
    here$place <- factor(all_disks[here$disk], all_disks[disks])
    here$series <- factor(here$framework, levels(series_factor(rows$framework)))
    hdd <- here$value[here$framework %in% "mr" & here$disk %in% "hdd"]
    marks <- if (length(hdd)) {
      data.frame(place = "HDD", series = "mr-ramdisk", y = 0.84 * stats::median(hdd), text = "16 % less", hjust = -0.2)
    }
    columns_panel(here, linear_axis("time of the job, s"), label_of(benchmark), "disk of HDFS",
      marks = marks_beside(marks, here))
  })
  panel_figure(panels, runs, rows, "wide", runs_text(rows),
    "MR: all data on the disk; RAM disk: intermediate data in tmpfs; HDFS cache: the input in the DataNodes\u2019",
    "cache, which stands in tmpfs for persistent memory.",
    if (!"hdd" %in% rows$disk) "The slides\u2019 16 % are of an HDD, which did not run here.", nvm_text(runs))
}
