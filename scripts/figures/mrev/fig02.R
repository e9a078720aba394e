# Fig. 2: time of TeraSort by framework and cluster size.

paper_frameworks <- c("hadoop-gbe", "hadoop-ipoib", "hadoop-uda", "rdma-hadoop", "engine-gbe")
paper_sizes <- c(5, 9, 13)

# The first line: what of the paper's five frameworks and three sizes is there. The engine is not the paper's DataMPI.
shown_text <- function(rows) {
  ran <- intersect(setdiff(paper_frameworks, "engine-gbe"), rows$framework)
  sizes <- intersect(paper_sizes, rows$nodes)
  if (length(ran) == 4 && length(sizes) == length(paper_sizes)) return("")
  of <- function(shown, all) {
    paste(length(shown), "of", all, if (length(shown)) paste0("(", and_text(shown), ")"))
  }
  paste0(of(label_of(ran), "the paper\u2019s five frameworks"), " and ", of(sizes, "its three cluster sizes"),
    "; the engine is not its DataMPI.")
}

# The start-up at the foot of each bar.
startup_layer <- function(runs, disk) {
  rows <- cluster_rows(runs, "time.startup", disk)
  if (!nrow(rows)) return(NULL)
  rows$x <- beside(rows$place, rows$series)
  half <- half_column(rows$series)
  geom_rect(aes(xmin = .data$x - half, xmax = .data$x + half, ymin = 0, ymax = .data$median),
    summarise_runs(rows, "x"), inherit.aes = FALSE, fill = "#8C8C8C", alpha = 0.6)
}

takes <- c(terasort = "cells")

draw <- function(tables) {
  runs <- tables$terasort
  rows <- metric_rows(runs, "time.total")
  full <- paper_size(runs, 128)
  marks <- if (full) data.frame(place = 13, series = "hadoop-ipoib", y = 420, text = NA)
  disks <- intersect(names(disk_label), rows$disk)
  panels <- lapply(disks, function(disk) {
    rows <- cluster_rows(runs, "time.total", disk)
    columns_panel(rows, count_axis("time of TeraSort, s"), disk_label[[disk]], "nodes",
      more = list(startup_layer(runs, disk), paper_marks(marks_beside(marks, rows))))
  })
  seven <- "the paper\u2019s only readable time is about 420 s (7 minutes) for Hadoop-IPoIB on 13 nodes, Fig. 3"
  panel_figure(panels, runs, rows, "wide", runs_text(rows), if (nrow(metric_rows(runs, "time.startup")))
    "Grey: the start-up, until the first task runs (median).", if (full) paste0("Hollow diamond: ", seven, ".") else
    paste0("No value of the paper is drawn: ", seven, "."), terasort_size_text(runs, "128"),
    instead = shown_text(rows))
}
