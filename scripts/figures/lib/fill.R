# The fill of send-buffer partitions over the words of a rank, from the engine's event log. The rows of a rank stand
# in the order of the events.

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

# What a lane is called: "rank 0, partition 1".
lane_label <- function(rows) paste0("rank ", rows$rank, "\npartition ", rows$partition)
