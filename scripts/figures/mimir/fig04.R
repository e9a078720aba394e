# Fig. 4: underused, used and overused send buffers: the fill of each partition of two ranks, word by word.

cases <- c(
  underused = "a\u2002Underused: 1 word",
  used = "b\u2002Used: 10 words in turn",
  overused = "c\u2002Overused: 14 in turn",
  skewed = "d\u2002Skewed: 7 of 9 for rank 0"
)

# Adds column x: a word stands at its index, an exchange between words: behind its word, or before it if the log goes
# on with that same word.
place_events <- function(log) {
  rank <- paste(log$case, log$rank, sep = "\r")
  log$x <- log$word_index
  for (i in which(log$event == "exchange")) {
    later <- seq_len(nrow(log)) > i & rank == rank[i] & log$word_index == log$word_index[i] & log$event != "exchange"
    log$x[i] <- log$word_index[i] + if (any(later)) -0.45 else 0.45
  }
  log
}

# Turns placed events into the steps of one curve per partition: the fill before and after each event, in percent of
# the capacity. An exchange empties a partition whatever its row says it held.
fill_steps <- function(log) {
  last <- tapply(log$x, log$case, max)
  lane <- paste(log$case, log$rank, log$partition, sep = "\r")
  do.call(rbind, lapply(split(log, lane), function(d) {
    after <- ifelse(d$event == "exchange", 0, 100 * d$bytes / d$capacity_bytes)
    before <- c(0, utils::head(after, -1))
    x <- c(0, rbind(d$x, d$x), last[[d$case[1]]])
    y <- c(0, rbind(before, after), utils::tail(after, 1))
    data.frame(case = d$case[1], rank = d$rank[1], partition = d$partition[1], x = x, y = y)
  }))
}

lane_label <- function(rows) paste0("rank ", rows$rank, "\npartition ", rows$partition)

takes <- c(schematic.fill = "fill")

draw <- function(tables) {
  log <- tables$schematic.fill
  drawn <- log[log$case %in% names(cases) & log$capacity_bytes %in% log$capacity_bytes[log$capacity_bytes > 0], ]
  need_rows(drawn, log, "case underused, used, overused or skewed and a capacity")
  log <- place_events(drawn)
  in_panels <- function(rows) {
    rows$panel <- factor(cases[rows$case], cases)
    lanes <- unique(log[order(log$rank, log$partition), c("rank", "partition")])
    rows$lane <- factor(lane_label(rows), lane_label(lanes))
    rows
  }
  steps <- in_panels(fill_steps(log))
  words <- in_panels(log[log$event %in% c("put", "combine"), ])
  sent <- in_panels(log[log$event %in% "exchange", ])
  green <- colour_of("reduce-by-key")
  plot <- ggplot(steps, aes(.data$x, .data$y)) +
    geom_hline(yintercept = 100, linewidth = 0.25, linetype = "22", colour = grey_line) +
    geom_area(fill = green, alpha = 0.25) +
    geom_line(colour = green, linewidth = 0.45) +
    geom_segment(aes(x = .data$x, xend = .data$x, y = 0, yend = 100), sent, colour = paper_colour, linewidth = 0.35) +
    geom_point(aes(.data$word_index, -22, shape = .data$event), words, size = 1.1, stroke = 0.35, colour = green) +
    facet_grid(vars(.data$lane), vars(.data$panel), scales = "free_x", drop = FALSE) +
    scale_shape_manual("word is", values = c(put = 19, combine = 1),
      labels = c(put = "a new record", combine = "combined with a record in the partition"),
      limits = c("put", "combine")) +
    scale_x_continuous("words read by the rank", breaks = scales::breaks_pretty(4), expand = expansion(c(0, 0.01))) +
    scale_y_continuous("fill of the partition, % of its capacity", breaks = c(0, 50, 100),
      limits = c(-30, NA), expand = expansion(c(0, 0.05))) +
    theme_kvasir() +
    theme(strip.text.y = element_text(angle = 0, hjust = 0, size = small_size), panel.grid.major = element_blank())
  capacity <- sort(unique(log$capacity_bytes))
  above <- paste("Not the paper\u2019s c and d, a buffer spilled and fetched back: what does not fit makes all ranks",
    "exchange, here as in Mimir as published. The paper\u2019s words would fill no partition of four records.")
  text <- caption("wide",
    "Event log of the engine (ReduceByKey, two ranks, one send buffer each, cut into one partition per rank).",
    "Vertical line: all ranks exchange and the partitions are empty again. Dashed line: capacity of a partition,",
    paste0(and_text(capacity), " bytes."), "One run per case (n = 1, counts, no timing). Source: measured:engine."
  )
  list(plot = plot + labs(subtitle = subtitle("wide", above), caption = text), size = "wide")
}
