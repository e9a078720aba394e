# Table 7: the ratings of the solutions, as printed and by a rule from the runs.

takes <- c(dfsio = "cells", wordcount = "cells", terasort = "cells", pagerank = "cells")

draw <- function(tables) {
  runs <- do.call(rbind, unname(tables[c("wordcount", "terasort", "pagerank")]))
  every <- do.call(rbind, unname(tables))
  # The engine is not the paper's DataMPI, and C++ beside programs that start a JVM: it is no part of a rating.
  rated <- runs[!startsWith(runs$framework, "engine-"), ]
  # Median of each point over the best of its benchmark, size and disk; geometric mean by framework.
  worse <- function(metric, power) {
    rows <- metric_rows(rated, metric)
    if (nrow(rows) == 0) return(NULL)
    point <- stats::aggregate(value ~ framework + nodes + disk + benchmark, rows, stats::median)
    best <- stats::ave(point$value, paste(point$nodes, point$disk, point$benchmark), FUN = min)
    graded(log(point$value / best) / power, point$framework)
  }
  # Geometric mean and number of points by framework.
  graded <- function(logs, framework) {
    list(mean = exp(tapply(logs, framework, mean)), n = tapply(logs, framework, length))
  }
  # Speed-up from the smallest to the largest cluster over that of its workers; geometric mean by framework.
  scaling <- function() {
    rows <- metric_rows(rated, "time.total")
    if (nrow(rows) == 0) return(NULL)
    point <- stats::aggregate(value ~ framework + nodes + disk + benchmark, rows, stats::median)
    sets <- split(point, paste(point$framework, point$disk, point$benchmark))
    sets <- do.call(rbind, lapply(unname(sets), function(d) {
      few <- which.min(d$nodes)
      many <- which.max(d$nodes)
      gain <- d$value[few] / d$value[many] / ((d$nodes[many] - 1) / (d$nodes[few] - 1))
      if (few != many) data.frame(framework = d$framework[1], gain = log(gain))
    }))
    if (!is.null(sets)) graded(sets$gain, sets$framework)
  }
  tried <- unique(every[!every$status %in% "not-run", c("point", "rep", "framework", "status")])
  well <- tried$status %in% "ok"
  ended <- list(mean = tapply(well, tried$framework, mean), n = tapply(well, tried$framework, length))
  grade <- function(x, bounds) c("VH", "H", "M", "L")[1 + findInterval(x, bounds)]
  cell <- function(id, values, bounds, printed) {
    if (!id %in% names(values$mean)) return(paste0(printed, " | \u2013"))
    x <- values$mean[[id]]
    paste0(printed, " | ", grade(if (bounds[1] < 0) -x else x, bounds), " (", formatC(x, format = "f", digits = 2),
      "; ", values$n[[id]], ")")
  }
  time <- worse("time.total", 1)
  energy <- worse("ed2p", 3)
  gain <- scaling()
  row <- function(name, id, p) {
    c(name, cell(id, time, c(1.1, 1.25, 1.5), p[1]), cell(id, energy, c(1.1, 1.25, 1.5), p[2]),
      cell(id, gain, c(-0.9, -0.6, -0.3), p[3]), cell(id, ended, c(-1.01, -0.999, -0.9), p[4]), p[5:7])
  }
  rows <- rbind(
    row("Hadoop-2-GbE", "hadoop-gbe", c("L", "L", "H", "H", "M", "H", "H")),
    row("Hadoop-2-IPoIB", "hadoop-ipoib", c("H", "H", "H", "H", "M", "H", "H")),
    row("Hadoop-2-UDA", "hadoop-uda", c("M", "M", "H", "H", "M", "M", "M")),
    row("RDMA-Hadoop-2", "rdma-hadoop", c("H", "M", "H", "L", "H", "H", "L")),
    row("DataMPI\u1d43", "engine-ipoib", c("VH", "VH", "VH", "M", "H", "M", "M"))
  )
  table_figure(rows, c("", "performance", "energy efficiency", "scalability", "stability", "config.", "docs", "usage"),
    c(0, 28, 56, 86, 112, 138, 152, 162), rep(FALSE, 8), data.frame(from = c(26, 136), to = c(132, 172),
      text = c("paper | by the rule here", "paper only")),
    "Rule: performance is the geometric mean over benchmarks, sizes and disks of time over the best time there, energy",
    "the same for the cube root of ED2P: VH up to 1.1, H to 1.25, M to 1.5. Scalability: speed-up over that of the",
    "workers, VH from 0.9, H from 0.6, M from 0.3. Stability: share of runs that ended well, H all, M from 0.9.",
    "Behind a grade: its number, and how many points, pairs of sizes or runs it is of; frameworks ran different ones.",
    "\u1d43 the engine in its place is rated for its stability alone.",
    missing_text(runs), rates_text(runs), lines = 7,
    note = run_note(rated, metric_rows(rated, c("time.total", "ed2p"))))
}
