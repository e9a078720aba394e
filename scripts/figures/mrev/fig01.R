# Fig. 1: the control flow of an evaluation, with the sizes, frameworks, benchmarks and executions of its runs.

# Boxes of the flow with their middles, mm.
boxes <- utils::read.table(header = TRUE, sep = "|", strip.white = TRUE, text = "
  text                         | x   | y   | kind
  Initialize MREv              | 22  | 0   | step
  cluster sizes left?          | 22  | -12 | ask
  Finish MREv                  | 22  | -24 | step
  Set cluster size             | 66  | -12 | step
  frameworks left?             | 66  | -24 | ask
  Set framework                | 110 | -24 | step
  Configure framework          | 110 | -36 | step
  Start daemons                | 110 | -48 | step
  Initialize benchmarks        | 110 | -60 | step
  benchmarks left?             | 66  | -60 | ask
  Finish daemons               | 22  | -60 | step
  Generate performance results | 22  | -72 | step
  executions left?             | 66  | -72 | ask
  Run benchmark                | 110 | -72 | step
  Generate resource results    | 110 | -84 | step
")
# Arrows with the word beside their first stretch and the corners they pass.
arrows <- utils::read.table(header = TRUE, sep = "|", strip.white = TRUE, text = "
  word | xs             | ys
       | 22 22          | -3 -9
  no   | 22 22          | -15 -21
  yes  | 40.5 47.5      | -12 -12
       | 66 66          | -15 -21
  yes  | 84.5 91.5      | -24 -24
  no   | 47.5 44 44 41  | -24 -24 -14 -14
       | 110 110        | -27 -33
       | 110 110        | -39 -45
       | 110 110        | -51 -57
       | 91.5 84.5      | -60 -60
  yes  | 66 66          | -63 -69
  no   | 47.5 40.5      | -60 -60
       | 22 22 66 66    | -57 -40 -40 -27
  yes  | 84.5 91.5      | -72 -72
       | 110 110        | -75 -81
       | 91.5 66 66     | -84 -84 -75
  no   | 47.5 40.5      | -72 -72
       | 22 22 54 54    | -69 -66 -66 -63
")

numbers <- function(text) as.numeric(strsplit(text, " ", fixed = TRUE)[[1]])
path <- function(i) data.frame(arrow = i, x = numbers(arrows$xs[i]), y = numbers(arrows$ys[i]))

takes <- c(terasort = "cells", benchmarks = "cells")

draw <- function(tables) {
  runs <- rbind(tables$terasort, tables$benchmarks)
  done <- runs[runs$status %in% "ok", ]
  count <- function(column) length(unique(done[[column]]))
  here <- data.frame(x = 132, y = c(-12, -24, -48, -60, -72), text = c(
    paste("nodes:", if (count("nodes")) and_text(sort(unique(done$nodes))) else "none run"),
    paste("frameworks:", count("framework")),
    paste("clusters:", nrow(unique(data.frame(done$nodes, done$disk, endsWith(done$framework, "-gbe"))))),
    paste("benchmarks:", count("benchmark")), paste("executions: up to", max(done$rep, 0))))
  lines <- do.call(rbind, lapply(seq_len(nrow(arrows)), path))
  words <- do.call(rbind, lapply(which(nzchar(arrows$word)), function(i) {
    ends <- path(i)[1:2, ]
    down <- ends$x[1] == ends$x[2]
    data.frame(x = mean(ends$x) + 3 * down, y = mean(ends$y) + 2 * !down, word = arrows$word[i])
  }))
  plot <- ggplot() +
    geom_tile(aes(.data$x, .data$y, fill = .data$kind), boxes, width = 37, height = 6, colour = grey_text) +
    geom_text(aes(.data$x, .data$y, label = .data$text), boxes, size = pt(7), family = font_family) +
    geom_path(aes(.data$x, .data$y, group = .data$arrow), lines, linewidth = 0.3, colour = grey_text,
      arrow = grid::arrow(length = unit(1.2, "mm"), type = "closed")) +
    geom_text(aes(.data$x, .data$y, label = .data$word), words, size = pt(7), family = font_family) +
    geom_text(aes(.data$x, .data$y, label = .data$text), here, hjust = 0, size = pt(7), family = font_family) +
    scale_fill_manual(values = c(step = "#FFFFFF", ask = "#DCE9F2"), guide = "none") +
    coord_cartesian(xlim = c(0, 172), ylim = c(-88, 4), expand = FALSE)
  text <- caption("tall", "Boxes: the paper\u2019s. Right: what the loops went over here, where frameworks",
    "that differ only in how a job runs share daemons and executions are interleaved.", missing_text(runs))
  list(plot = plot + labs(caption = text) + theme_bare(), size = "tall")
}
