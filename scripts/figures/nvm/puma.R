# PUMA: time of five workloads over Hadoop's own collector.

takes <- c(puma = "sized")

draw <- function(tables) {
  gain_figure(tables$puma, data.frame(
    benchmark = c("adjacency-list", "self-join", "ranked-inverted-index", "sequence-count", "inverted-index"),
    value = 1 - c(0.39, 0.58, 0.39, 0.32, 0.18)))
}
