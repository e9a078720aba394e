# Study nvm: stages of map tasks, and what its figures of times over frameworks and workloads share.

stage_colour <- c(read = okabe_ito[["sky"]], map = okabe_ito[["blue"]], collect = okabe_ito[["green"]],
  spill = okabe_ito[["orange"]], merge = okabe_ito[["vermillion"]])
before_spill <- c("read", "map", "collect")
spill_and_merge <- c("spill", "merge")
run_columns <- c("point", "framework", "disk", "benchmark", "nodes", "size", "rep")

nvm_note <- "NVRAM is DRAM with a delay after each write, as the slides have it."

# Time of some stages of a run's map tasks, mean over the tasks, as rows of a metric: one a run.
stage_runs <- function(stages, wanted = names(stage_colour)) {
  rows <- stages[stages$stage %in% wanted, c(run_columns, "job", "task", "value")]
  if (nrow(rows)) {
    rows <- stats::aggregate(value ~ ., rows, sum)
    rows <- stats::aggregate(value ~ ., rows[c(run_columns, "value")], mean)
  }
  rows$metric <- rep(paste(wanted, collapse = " "), nrow(rows))
  rows$source <- rep("measured:clock", nrow(rows))
  rows
}

# Rows over those of framework `base` of the same repetition: its value over theirs, or theirs over its.
over_framework <- function(rows, base = "mr", faster = FALSE) {
  by <- c("disk", "benchmark", "nodes", "size", "rep")
  of_base <- rows[rows$framework %in% base, ]
  before <- of_base$value[match(key_of(rows, by), key_of(of_base, by))]
  rows$value <- if (faster) before / rows$value else rows$value / before
  rows[!is.na(rows$value), ]
}

# Places on an axis: workloads, and disks below them where there are several. like: rows that have all places.
workload_places <- function(rows, like = rows) {
  several <- length(unique(like$disk)) > 1
  name <- function(d) paste0(label_of(d$benchmark), if (several) paste0("\n", all_disks[d$disk]))
  known <- unique(like[c("benchmark", "disk")])
  known <- known[order(series_factor(known$benchmark), match(known$disk, names(all_disks))), ]
  factor(if (nrow(rows)) name(rows) else character(), unique(name(known)))
}

# Rows ready for columns_panel: place by workload, series by framework.
workload_rows <- function(rows, like = rows) {
  rows$place <- workload_places(rows, like)
  rows$series <- factor(rows$framework, levels(series_factor(like$framework)))
  rows
}

# The paper's values of RMR-NVM at workloads, beside it or, where it did not run, beside MR-NVM. said: benchmark, value.
rmr_nvm_marks <- function(rows, said) {
  id <- intersect(c("rmr-nvm", "mr-nvm"), rows$framework)[1]
  said <- said[said$benchmark %in% rows$benchmark, ]
  if (is.na(id) || !nrow(said)) return(NULL)
  places <- unique(rows[c("benchmark", "place")])
  places <- merge(places, said)
  marks_beside(data.frame(place = places$place, series = id, y = places$value, text = NA), rows, fine = TRUE)
}

# What stands below all figures of the study.
nvm_text <- function(runs) {
  throttled <- "sata" %in% runs$disk[runs$status %in% "ok"]
  own <- hosts_emulated(runs) && "ssd" %in% runs$disk[runs$status %in% "ok"]
  c(if (throttled) "SATA SSD: on emulated hosts a folder throttled to a task\u2019s share.",
    if (own) "SSD: this machine\u2019s own disk and its page cache.", terasort_size_text(runs, "20"))
}

# Times of one workload by data size, both the sizes' own runs and, where there are none, those at the one size of the
# map phase's figures. less: what RMR-NVM and RMR take less than MR, and RMR-NVM than RMR, on the slides.
size_figure <- function(tables, benchmark, total, less) {
  runs <- tables$sizes[tables$sizes$benchmark %in% benchmark, ]
  if (!nrow(metric_rows(runs, "time.total"))) {
    runs <- tables$spill[tables$spill$benchmark %in% benchmark & !tables$spill$framework %in% "mr-nvm-disk", ]
  }
  rows <- metric_rows(runs, "time.total")
  rows$place <- factor(plain_text(rows$size), plain_text(sort(unique(rows$size))))
  rows$series <- series_factor(rows$framework)
  stock <- stats::median(rows$value[rows$framework %in% "mr" & rows$size %in% 1])
  id <- intersect(c("rmr-nvm", "mr-nvm"), rows$framework)[1]
  # What RMR-NVM gains over RMR is what spills in memory alone gain, so that it stands for MR-NVM over MR.
  gains <- if (id %in% "rmr-nvm") total else c(total, less)
  marks <- if (!is.na(id) && !is.na(stock)) {
    said <- paste(round(100 * gains), "% less")
    data.frame(place = "1", series = id, y = stock * (1 - gains), text = said, hjust = 0.5, vjust = 2)
  }
  panels <- lapply(intersect(names(all_disks), rows$disk), function(disk) {
    here <- rows[rows$disk %in% disk, ]
    here$place <- factor(here$place, levels(rows$place))
    columns_panel(here, linear_axis("time of the job, s"), all_disks[[disk]], "data, times this scale's",
      marks = marks_beside(marks, here))
  })
  panel_figure(panels, runs, rows, "wide", runs_text(rows), paste0("Hollow diamonds: the slides\u2019 RMR-NVM, ",
    round(100 * total), " % less than MR-IPoIB and ", round(100 * less), " % less than RMR, from MR\u2019s median."),
    nvm_text(runs), instead = nvm_note)
}

# Times of workloads over the median of MR, which is 1. said: data frame benchmark, value: RMR-NVM's on the slides.
gain_figure <- function(runs, said, size = "wide") {
  rows <- relative_to(metric_rows(runs, "time.total"), "mr", c("disk", "benchmark", "nodes", "size"), "framework")
  if (!nrow(rows)) return(nothing_figure(runs, size))
  rows <- workload_rows(rows[!rows$framework %in% "mr", ])
  if (!nrow(rows)) return(nothing_figure(runs, size))
  panel <- columns_panel(rows, linear_axis("time over MR\u2019s median"), NULL, bars = FALSE,
    marks = rmr_nvm_marks(rows, said), more = unity_line(), fine = TRUE)
  panel_figure(list(panel), runs, rows, size, runs_text(rows, "tick: median"),
    "Hollow diamonds: RMR-NVM over MR-IPoIB on the slides, whose gain has RDMA\u2019s in it.", nvm_text(runs),
    instead = nvm_note)
}
