# Table 3: how TestDFSIO spreads its files, the paper and each scale here.

takes <- c(dfsio = "cells", parameters = "parameters")

draw <- function(tables) {
  runs <- tables$dfsio
  slaves <- c(2, 4, 8, 12)
  mb <- function(x) paste(format(x, big.mark = ",", trim = TRUE), "MB")
  share <- function(files, file_mb, parts) {
    each <- files / parts
    if (each < 1) return("fewer files than slaves")
    paste0(format(each, digits = 3), if (each == 1) " file (" else " files (", mb(each * file_mb), ")")
  }
  # One value for all clusters, or one for each number of nodes of the scale.
  on <- function(key, slaves, scale) {
    values <- as.numeric(parameter(tables$parameters, paste0("dfsio-write.", key), scale))
    if (length(values) < 2) return(values[1])
    values[match(slaves + 1, as.numeric(parameter(tables$parameters, "nodes", scale)))]
  }
  of <- function(scale) {
    vapply(slaves, function(s) {
      files <- on("files", s, scale)
      if (is.na(files)) "\u2013" else share(files, on("file_mb", s, scale), s)
    }, "")
  }
  printed <- c("84 files (5040 MB)", "42 files (2520 MB)", "21 files (1260 MB)", "14 files (840 MB)")
  per_map <- c("12 files (720 MB)", "6 files (360 MB)", "3 files (180 MB)", "2 files (120 MB)")
  rows <- cbind(slaves, printed, per_map, of("paper"), of("laptop"))
  done <- sort(unique(runs$nodes[runs$status %in% "ok"]))
  table_figure(rows, c("slaves", "data per slave", "data per map", "per slave, paper scale", "per slave, laptop"),
    c(8, 18, 58, 98, 136), c(TRUE, FALSE, FALSE, FALSE, FALSE),
    data.frame(from = c(14, 96), to = c(92, 172), text = c("paper: 168 files of 60 MB, 7 maps a slave",
      "config/scales here")),
    "MB here are 2^20 bytes. Clusters run here:", paste0(if (length(done)) and_text(done - 1) else "none", " workers."),
    missing_text(runs))
}
