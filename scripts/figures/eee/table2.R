# Table II: the simulated environment, the paper beside the configuration of this study and what its runs had.

binary <- function(bytes) {
  ifelse(bytes >= 2^20, paste(bytes / 2^20, "MiB"), paste(bytes / 2^10, "KiB"))
}

takes <- c(standard = "netsim", parameters = "parameters")

draw <- function(tables) {
  runs <- tables$standard
  set <- function(key, level = "") parameter(tables$parameters, key, level = level)
  number <- function(key, level = "") parameter_number(tables$parameters, key, level = level)
  workers <- number("topology.nodes") - 1
  small_tasks <- paste0(set("jobs.maps"), ", ", set("jobs.reduces"))
  batch_tasks <- c(number("jobs.maps", "workload=batch"), number("jobs.reduces", "workload=batch")) / workers
  block <- binary(c(number("jobs.block_bytes"), number("jobs.block_bytes", "workload=batch")))
  nodes <- sort(unique(runs$nodes))
  listed <- function(x) if (length(x)) and_text(x) else "none run"
  small <- metric_rows(runs[runs$workload %in% "small", ], "cpu.load.arriving")
  percent <- formatC(100 * stats::median(small$value), format = "f", digits = 0)
  load <- if (nrow(small)) paste(percent, "%") else "none run"
  cells <- rbind(
    c("nodes, in two racks", "24, 50 or 80", listed(nodes)),
    c("processor of a node", "2 cores, 2 processors; \u201ctwo-core\u201d", paste(set("cluster.cores"), "cores")),
    c("clock", "2.5 GHz", paste(number("cluster.core_hz") / 1e9, "GHz")),
    c("links of a node, of a rack", "1GbE, 10GbE", paste0(set("topology.edge"), ", ", set("topology.core"))),
    c("shallow buffers of a port", "128 KB", binary(number("buffer_bytes", "buffer=shallow"))),
    c("deep buffers of a port", "10 MB", binary(number("buffer_bytes", "buffer=deep"))),
    c("power of a 1GbE port", "0.5 W", paste(set("eee.watts.1g"), "W")),
    c("power of a 10GbE port", "2.5 W", paste(set("eee.watts.10g"), "W")),
    c("power in low power idle", "about 10 %", paste0(100 * number("eee.lpi_power"), " %")),
    c("workers", "23, 49 or 79", listed(nodes - 1)),
    c("maps, reduces at once on a node", "2, 2", paste0(set("hadoop.map_slots"), ", ", set("hadoop.reduce_slots"))),
    c("maps, reduces of a small job", "10, 1", small_tasks),
    c("maps, reduces of the batch job", "2 a worker, 2 a worker",
      paste(batch_tasks, "a worker", collapse = ", ")),
    c("block", "64 MB; batch: \u201c2 \u00d7 128 MB\u201d", paste0(block[1], "; batch: ", block[2])),
    c("TCP buffer, default", "64 KB", binary(number("tcp.window_bytes", "tcp=default"))),
    c("TCP buffer, tuned", "1 MB", binary(number("tcp.window_bytes", "tcp=tuned"))),
    c("CPU load of small jobs", "about 40 %", load)
  )
  table_figure(as.data.frame(cells), header = c("parameter", "paper", "here"), x = c(0, 70, 125),
    right = rep(FALSE, 3), groups = data.frame(from = 0, to = 172, text = "simulated environment"),
    "Here: the configuration that the simulator has in effect at this scale; nodes and workers as",
    "they were run; CPU load as it was while jobs still came, median of the runs.",
    missing_text(runs), source_text(small$source),
    height = 112)
}
