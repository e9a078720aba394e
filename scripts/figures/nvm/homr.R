# HOMR's design and flow, after the slides' sketch, and whether it runs here.

boxes <- function() {
  rbind(
    flow_box(18, 0, "read, map, collect", "task", 32), flow_box(56, 0, "spill", "task", 22),
    flow_box(88, 0, "merge", "task", 22), flow_box(72, -16, "local directory", "disk", 34),
    flow_box(128, -16, "RDMA shuffle:\nprefetch and cache", "fast", 34), flow_box(18, -38, "shuffle", "task", 22),
    flow_box(52, -38, "merge in memory", "task", 32), flow_box(88, -38, "reduce", "task", 22),
    flow_box(128, -38, "HDFS", "disk", 34)
  )
}

arrows <- function() {
  rbind(
    flow_arrow(34, 0, 45, 0), flow_arrow(67, 0, 77, 0), flow_arrow(56, -4, 64, -12), flow_arrow(82, -12, 86, -4),
    flow_arrow(99, -2, 111, -12), flow_arrow(111, -18, 29, -34), flow_arrow(29, -38, 36, -38),
    flow_arrow(68, -38, 77, -38), flow_arrow(99, -38, 111, -38)
  )
}

takes <- c(spill = "sized")

draw <- function(tables) {
  runs <- tables$spill
  words <- data.frame(x = 2, y = c(9, -28, -50), text = c(
    "Map task: map, shuffle and merge of other tasks\u2019 outputs overlap.",
    "Reduce task: shuffle, merge and reduce overlap.",
    paste0("Here: HOMR ", runs_cell(runs, "homr"), ".")))
  text <- caption("wide", "Boxes and arrows: the slides\u2019. Spills and the merged output are on the local",
    "directory, which is what spills in NVRAM change. How much is fetched at once is adjusted as it goes.",
    missing_text(runs))
  list(plot = flow_plot(boxes(), arrows(), words, c(0, 150), c(-54, 13)) + labs(caption = text), size = "wide")
}
