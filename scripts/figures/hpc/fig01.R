# Fig. 1: data flow of a job with several map and reduce tasks, with the bytes that one TeraSort moved at each step.

# Rows of tasks, mm below the top: three splits and maps, two reduces.
map_y <- c(0, -16, -32)
reduce_y <- c(-8, -24)

boxes <- function() {
  rbind(
    do.call(rbind, lapply(1:3, function(i) {
      rbind(flow_box(12, map_y[i], paste("split", i), "disk", 20), flow_box(42, map_y[i], paste("map", i), "task", 20),
        transform(flow_box(74, map_y[i] + 3.2, paste0("p-", i, "-1"), "fast", 14), height = 5),
        transform(flow_box(74, map_y[i] - 3.2, paste0("p-", i, "-2"), "fast", 14), height = 5))
    })),
    do.call(rbind, lapply(1:2, function(j) {
      rbind(flow_box(110, reduce_y[j], "merge", "task", 18), flow_box(136, reduce_y[j], paste("reduce", j), "task", 20),
        flow_box(163, reduce_y[j], paste("output", j), "disk", 20))
    }))
  )
}

arrows <- function() {
  rbind(
    do.call(rbind, lapply(map_y, function(y) {
      rbind(flow_arrow(22, y, 32, y), flow_arrow(52, y, 67, y + 3.2), flow_arrow(52, y, 67, y - 3.2))
    })),
    do.call(rbind, lapply(1:3, function(i) {
      do.call(rbind, lapply(1:2, function(j) {
        flow_arrow(81, map_y[i] + c(3.2, -3.2)[j], 101, reduce_y[j] + c(1.6, 0, -1.6)[i])
      }))
    })),
    do.call(rbind, lapply(reduce_y, function(y) rbind(flow_arrow(119, y, 126, y), flow_arrow(146, y, 153, y))))
  )
}

# Median of a counter of whole jobs over the runs of one point; NA without any.
job_counter <- function(rows, counter) {
  stats::median(rows$value[rows$kind %in% "all" & rows$counter %in% counter])
}

# Rows of the largest cluster where Hadoop over IPoIB, or else over GbE, ran; none where neither did.
chosen <- function(counters) {
  for (framework in c("hadoop-ipoib", "hadoop-gbe")) {
    rows <- counters[counters$framework %in% framework, ]
    if (nrow(rows)) return(rows[rows$nodes %in% max(rows$nodes), ])
  }
  counters[0, ]
}

takes <- c(terasort.counters = "counters")

draw <- function(tables) {
  rows <- chosen(tables$terasort.counters)
  mb <- function(counter) {
    value <- job_counter(rows, counter)
    if (is.na(value)) "not counted" else paste(format(round(value / 1e6, 1), nsmall = 1, trim = TRUE), "MB")
  }
  tasks <- function(counter) format(job_counter(rows, counter), trim = TRUE)
  words <- data.frame(x = c(2, 32, 66, 101, 153), y = -43, text = if (nrow(rows)) {
    c(paste0("read from HDFS\n", mb("HDFS_BYTES_READ")),
      paste0(tasks("TOTAL_LAUNCHED_MAPS"), " maps here, output\n", mb("MAP_OUTPUT_BYTES")),
      paste0("fragments, shuffled\n", mb("REDUCE_SHUFFLE_BYTES")),
      paste0(tasks("TOTAL_LAUNCHED_REDUCES"), " reduces here,\neach merges its part"),
      paste0("written to HDFS\n", mb("HDFS_BYTES_WRITTEN")))
  } else {
    c("No run of Hadoop has counters here.", "", "", "", "")
  })
  said <- if (nrow(rows)) {
    paste0("Below: median of ", label_of(rows$framework[1]), " on ", max(rows$nodes), " nodes (n = ",
      length(unique(paste(rows$point, rows$rep))), "), by the counters of its job history.")
  }
  text <- caption("wide", "Boxes: the paper\u2019s. A map\u2019s output is parted; fragment p-i-j of map i goes to",
    "reduce j, which merges its fragments.", said, if (nrow(rows)) "Source: measured:history.")
  list(plot = flow_plot(boxes(), arrows(), words, c(0, 176), c(-50, 8)) + labs(caption = text), size = "wide")
}
