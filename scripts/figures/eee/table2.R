# Table II: the simulated environment, the paper beside the configuration of this study and what its runs had.

# Defaults of the job layer of the simulator (src/netsim, mapreduce/config.hpp), which the study leaves as they are.
cores <- 2
ghz <- 2.5
slots <- 2

binary <- function(bytes) {
  ifelse(bytes >= 2^20, paste(bytes / 2^20, "MiB"), paste(bytes / 2^10, "KiB"))
}

takes <- c(standard = "netsim")

draw <- function(tables) {
  runs <- tables$standard
  run <- read_config(here, "studies", "eee.yaml")$programs$run
  base <- run$base
  nodes <- sort(unique(runs$nodes))
  listed <- function(x) if (length(x)) and_text(x) else "none run"
  small <- metric_rows(runs[runs$workload %in% "small", ], "cpu.load.arriving")
  percent <- formatC(100 * stats::median(small$value), format = "f", digits = 0)
  load <- if (nrow(small)) paste(percent, "%") else "none run"
  cells <- rbind(
    c("nodes, in two racks", "24, 50 or 80", listed(nodes)),
    c("processor of a node", "2 cores, 2 processors; \u201ctwo-core\u201d", paste(cores, "cores")),
    c("clock", "2.5 GHz", paste(ghz, "GHz")),
    c("links of a node, of a rack", "1GbE, 10GbE", paste0(base$topology$edge, ", ", base$topology$core)),
    c("shallow buffers of a port", "128 KB", binary(run$levels$buffer$shallow$buffer_bytes)),
    c("deep buffers of a port", "10 MB", binary(run$levels$buffer$deep$buffer_bytes)),
    c("power of a 1GbE port", "0.5 W", paste(base$eee$watts[["1g"]], "W")),
    c("power of a 10GbE port", "2.5 W", paste(base$eee$watts[["10g"]], "W")),
    c("power in low power idle", "about 10 %", paste0(100 * base$eee$lpi_power, " %")),
    c("workers", "23, 49 or 79", listed(nodes - 1)),
    c("maps, reduces at once on a node", "2, 2", paste0(slots, ", ", slots)),
    c("maps, reduces of a small job", "10, 1", "10, 1"),
    c("maps, reduces of the batch job", "2 a worker, 2 a worker", "2 a worker, 2 a worker"),
    c("block", "64 MB; batch: \u201c2 \u00d7 128 MB\u201d", "64 MiB; batch: 128 MiB"),
    c("TCP buffer, default", "64 KB", binary(run$levels$tcp$default$tcp$window_bytes)),
    c("TCP buffer, tuned", "1 MB", binary(run$levels$tcp$tuned$tcp$window_bytes)),
    c("CPU load of small jobs", "about 40 %", load)
  )
  table_figure(as.data.frame(cells), header = c("parameter", "paper", "here"), x = c(0, 70, 125),
    right = rep(FALSE, 3), groups = data.frame(from = 0, to = 172, text = "simulated environment"),
    "Here: configuration of this study and defaults of the simulator; nodes and workers as",
    "they were run; CPU load as it was while jobs still came, median of the runs.",
    missing_text(runs), source_text(small$source),
    height = 112)
}
