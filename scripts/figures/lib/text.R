# Numbers and prose inside figures.

# 64000000 -> "64 million"; 41 -> "41"; 27777744 -> "27,777,744"
count_text <- function(x) {
  one <- function(v) {
    if (is.na(v)) return("\u2013")
    for (step in list(list(1e9, " billion"), list(1e6, " million"))) {
      scaled <- v / step[[1]]
      if (scaled >= 1 && abs(scaled * 10 - round(scaled * 10)) < 1e-9) {
        return(paste0(format(scaled, trim = TRUE), step[[2]]))
      }
    }
    format(v, big.mark = ",", trim = TRUE)
  }
  vapply(x, one, "")
}

# c(140, 120) -> "140 and 120"
and_text <- function(x) {
  if (length(x) < 2) return(paste(x))
  paste(paste(utils::head(x, -1), collapse = ", "), "and", utils::tail(x, 1))
}

# "rank" for 1, "ranks" else, with the number in front.
ranks_text <- function(n) paste(n, ifelse(n == 1, "rank", "ranks"))

# The unique words of the paper's data set, from its label: "4B5.6M" -> "5.6M"
data_unique <- function(label) sub("^4B", "", label)

# Breaks text so that no line is wider than `width` mm at `size` points, by the font's own measures.
wrap_text <- function(text, width, size) {
  limit <- width / 25.4 * 72
  words <- strsplit(text, " ", fixed = TRUE)[[1]]
  wide <- systemfonts::string_width(words, family = font_family, size = size, res = 72)
  gap <- systemfonts::string_width("n n", family = font_family, size = size, res = 72) -
    systemfonts::string_width("nn", family = font_family, size = size, res = 72)
  lines <- character()
  line <- words[1]
  used <- wide[1]
  for (i in seq_along(words)[-1]) {
    if (used + gap + wide[i] > limit) {
      lines <- c(lines, line)
      line <- words[i]
      used <- wide[i]
    } else {
      line <- paste(line, words[i])
      used <- used + gap + wide[i]
    }
  }
  paste(c(lines, line), collapse = "\n")
}

# Moves label positions apart so that neighbours are at least `gap` apart; keeps the order and the middle.
spread_labels <- function(y, gap) {
  if (length(y) < 2) return(y)
  order_y <- order(y)
  sorted <- y[order_y]
  for (pass in 1:100) {
    near <- which(diff(sorted) < gap - 1e-9)
    if (!length(near)) break
    for (i in near) {
      push <- (gap - (sorted[i + 1] - sorted[i])) / 2
      if (push > 0) sorted[i + 0:1] <- sorted[i + 0:1] + c(-push, push)
    }
  }
  y[order_y] <- sorted
  y
}
