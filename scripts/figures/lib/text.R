# Numbers and prose inside figures.

# Counts as words: 64 million; 2,880; 27,777,744. Rounded to nothing: what is no short multiple is written out.
count_text <- function(x) {
  one <- function(v) {
    if (is.na(v)) return("\u2013")
    for (step in list(list(1e9, "\u00a0billion"), list(1e6, "\u00a0million"))) {
      scaled <- v / step[[1]]
      if (scaled >= 1 && abs(scaled * 10 - round(scaled * 10)) < 1e-9) {
        return(paste0(format(scaled, trim = TRUE), step[[2]]))
      }
    }
    format(v, big.mark = ",", trim = TRUE)
  }
  vapply(x, one, "")
}

# The same where there is little room, to two digits: 41, 2.9K, 24M.
short_count <- function(x) {
  power <- pmin(2, floor(log10(x) / 3 + 1e-9))
  paste0(signif(x / 1000^power, 2), c("", "K", "M")[power + 1])
}

# Lists in prose: "140 and 120".
and_text <- function(x) {
  if (length(x) < 2) return(paste(x))
  paste(paste(utils::head(x, -1), collapse = ", "), "and", utils::tail(x, 1))
}

# "rank" for 1, "ranks" else, with the number in front.
ranks_text <- function(n) paste(n, ifelse(n == 1, "rank", "ranks"))

# 20,000,000,000 as 2\u00b710\u00b9\u2070; short numbers as they are.
power_of_ten_text <- function(v) {
  digits <- c("\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074", "\u2075", "\u2076", "\u2077", "\u2078", "\u2079")
  one <- function(x) {
    if (is.na(x)) return(NA_character_)
    if (x < 1e5) return(format(x, big.mark = ",", trim = TRUE, drop0trailing = TRUE))
    n <- floor(log10(x) + 1e-9)
    raised <- paste(digits[as.integer(strsplit(paste(n), "")[[1]]) + 1], collapse = "")
    first <- round(x / 10^n)
    paste0(if (first > 1) paste0(first, "\u00b7"), "10", raised)
  }
  vapply(v, one, "")
}

# Sizes in binary units: 541200 -> 529 KiB.
bytes_text <- function(bytes) {
  unit <- ifelse(bytes >= 2^20, "MiB", "KiB")
  paste(signif(bytes / ifelse(bytes >= 2^20, 2^20, 2^10), 3), unit)
}

# The unique words of the paper's data set, from its label: "4B5.6M" -> "5.6M"
data_unique <- function(label) sub("^4B", "", label)

# The unique words that a data set of the tables really has, behind the paper's label: "4B5K (2,880 unique)".
data_label <- function(label, runs) {
  unique_words <- runs$unique[match(label, runs$data)]
  paste0(label, ifelse(is.na(unique_words), "", paste0(" (", count_text(unique_words), " unique)")))
}

# "4B72 (41 unique)." for the data sets of a table.
data_note <- function(runs) paste0(and_text(data_label(unique(runs$data), runs)), ".")

# What the paper's buffer labels are here; "" where they are what they say.
buffer_note <- function(runs) {
  used <- unique(stats::na.omit(runs[c("buffer_mb", "buffer_bytes")]))
  used <- used[order(used$buffer_mb), ]
  if (all(used$buffer_bytes == used$buffer_mb * 1e6 | used$buffer_bytes == used$buffer_mb * 2^20)) return("")
  range_text <- function(bytes) paste(unique(bytes_text(range(bytes))), collapse = " to ")
  here <- tapply(used$buffer_bytes, used$buffer_mb, range_text)
  paste0(
    "Send buffer per rank: ", and_text(names(here)), " MB in the paper, ", and_text(here), " here",
    if (anyDuplicated(used$buffer_mb)) ", in proportion to the words per rank", "."
  )
}

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
