# Table 1: the parameters of an evaluation, the paper beside the keys here and their values at each scale.

takes <- c(terasort = "cells")

draw <- function(tables) {
  value <- function(name) scale_values(here, function(cells, scale) cells$parameters[[name]])
  of <- function(benchmark, key) scale_values(here, function(cells, scale) cells$benchmarks[[benchmark]][[key]])
  study <- read_config(here, "studies", "mrev.yaml")
  several <- function(text) rep(text, 3)
  words <- function(n, what) several(paste(n, what))
  one <- study$experiments$terasort$factors
  all <- unique(c("terasort", study$experiments$benchmarks$factors$benchmark))
  rows <- rbind(
    c("Mappers per node", "mappers_per_node", value("mappers_per_node")),
    c("Reducers per node", "reducers_per_node", value("reducers_per_node")),
    c("Java heap size", "heap_mb", value("heap_mb")),
    c("HDFS block size", "block_size_mb", value("block_size_mb")),
    c("HDFS replication factor", "replication", value("replication")),
    c("SSD optimization\u1d43", "disk", several("hdd, ssd")),
    c("Benchmarks", "benchmark", words(length(all), "known")),
    c("Cluster sizes", "nodes", several(and_text(one$nodes))),
    c("Frameworks", "framework", words(length(one$framework), "known")),
    c("Number of executions", "repetitions", scale_values(here, function(cells, scale) cells$repetitions)),
    c("TestDFSIO: #files", "dfsio-write: files", of("dfsio-write", "files")),
    c("TestDFSIO: file size", "dfsio-write: file_mb", of("dfsio-write", "file_mb")),
    c("Wordcount: data size", "wordcount: data_mb", of("wordcount", "data_mb")),
    c("Sort/TeraSort: data size", "terasort: data_mb", of("terasort", "data_mb")),
    c("PageRank: iterations", "pagerank: iterations", of("pagerank", "iterations"))
  )
  table_figure(rows, c("paper", "key here", "smoke", "laptop", "paper scale"), c(0, 48, 112, 142, 172),
    c(FALSE, FALSE, TRUE, TRUE, TRUE), data.frame(from = c(0, 92), to = c(86, 172),
      text = c("parameter", "value at each scale (config/scales)")),
    "Rows 1 to 6 depend on the system, 7 to 10 on the experiment, the others on the benchmark. MB are 2^20 bytes.",
    "\u1d43 in the paper available only in RDMA-Hadoop; here the disk is a factor of every framework.")
}
