# Summaries of repetitions. No normality is assumed: with few runs the whole range is shown, with enough of them the
# 95 % interval of the median from order statistics.

# Smallest n for which order statistics give a two-sided 95 % interval of the median (2 * 0.5^n <= 0.05).
least_n_for_interval <- 6

# x: values of the repetitions of one setting. Returns median, low, high, n.
interval <- function(x) {
  x <- sort(x)
  n <- length(x)
  cut <- if (n >= least_n_for_interval) stats::qbinom(0.025, n, 0.5) else 1
  data.frame(median = stats::median(x), low = x[max(cut, 1)], high = x[n + 1 - max(cut, 1)], n = n)
}

# rows: metric rows; by: columns that make a setting. One row per setting.
summarise_runs <- function(rows, by) {
  key <- do.call(paste, c(rows[by], sep = "\r"))
  parts <- split(rows, factor(key, unique(key)))
  do.call(rbind, lapply(unname(parts), function(d) cbind(d[1, by, drop = FALSE], interval(d$value), row.names = NULL)))
}

# How the interval is called in a caption.
interval_text <- function(n) {
  few <- any(n < least_n_for_interval)
  many <- any(n >= least_n_for_interval)
  if (few && many) return("min to max (fewer than 6 runs) or 95 % interval of the median")
  if (many) "95 % interval of the median (order statistics)" else "min to max"
}

# "3" or "2 to 3"
n_text <- function(n) paste(unique(range(n)), collapse = " to ")

# Eq. 1 of the paper: the share of records a combiner in each process can take away. Words, unique words, processes.
combinability <- function(words, unique, processes) (words - processes * unique) / words

# Text that is the same for rows of the same levels, or of the same run.
key_of <- function(rows, columns) do.call(paste, c(lapply(rows[columns], as.character), sep = "\r"))
run_key <- function(rows) key_of(rows, c("point", "rep"))

# Values over the median of a base level with otherwise equal levels. Rows without a base are dropped.
relative_to <- function(rows, base, by, column = "setting") {
  by <- c(by, "metric")
  of_base <- rows[rows[[column]] %in% base, ]
  middle <- tapply(of_base$value, key_of(of_base, by), stats::median)
  rows$value <- rows$value / as.numeric(middle[key_of(rows, by)])
  rows[!is.na(rows$value), ]
}

# One metric that is the product of two of the same run.
product_of <- function(runs, first, second, name) {
  a <- metric_rows(runs, first)
  b <- metric_rows(runs, second)
  a$value <- a$value * b$value[match(run_key(a), run_key(b))]
  a$metric <- rep(name, nrow(a))
  a[!is.na(a$value), ]
}
