# HiBench: time of five workloads over Hadoop's own collector.

takes <- c(hibench = "sized", spill = "sized")

draw <- function(tables) {
  runs <- tables$hibench
  absent <- setdiff(c("sort", "terasort"), metric_rows(runs, "time.total")$benchmark)
  runs <- rbind(runs, tables$spill[tables$spill$benchmark %in% absent & !tables$spill$framework %in% "mr-nvm-disk", ])
  gain_figure(runs, data.frame(benchmark = c("sort", "terasort", "pagerank", "wordcount", "kmeans"),
    value = 1 - c(0.42, 0.39, 0.21, 0.18, 0.11)))
}
