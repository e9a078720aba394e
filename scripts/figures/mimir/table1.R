# Table 1: data sets and their combinability: as printed, by Eq. 1 with the paper's numbers, by Eq. 1 here, measured.

paper_words <- 4e9
paper_processes <- 72
paper_unique <- c(
  "4B72" = 72, "4B600" = 600, "4B5K" = 5000, "4B40K" = 40000, "4B1M" = 1111104, "4B5.6M" = 5555520,
  "4B28M" = 27777744, "4B42M" = 41666688, "4B50M" = 49999968
)
printed <- c("4B72" = "> 99 %", "4B1M" = "98 %", "4B50M" = "10 %", "4B42M" = "25 %\u00b9", "4B5K" = "near 99 %\u00b9")

# Rates close to one need their distance from one: 99.99987 %, but 10 %.
percent_text <- function(rate) {
  digits <- ifelse(1 - rate < 1e-4, 5, ifelse(1 - rate < 1e-2, 3, 1))
  paste(mapply(function(r, d) formatC(100 * r, format = "f", digits = d), rate, digits), "%")
}

takes <- c(combinability = "runs")

draw <- function(tables) {
  table <- tables$combinability
  rates <- metric_rows(table, "combine.rate")
  need_rows(rates, table, "metric combine.rate of a run that ended well")
  rates <- rates[rates$data %in% names(paper_unique), ]
  sets <- summarise_runs(rates, c("data", "words", "unique", "ranks"))
  sets <- sets[order(sets$unique), ]
  eq1 <- combinability(sets$words, sets$unique, sets$ranks)
  of_paper <- paper_unique[sets$data]
  spread <- ifelse(percent_text(sets$low) == percent_text(sets$high), "all equal",
    paste(sub(" %", "", percent_text(sets$low)), "to", percent_text(sets$high)))
  whole <- scales::label_comma()
  rows <- data.frame(
    sets$data, whole(of_paper), ifelse(is.na(printed[sets$data]), "\u2013", printed[sets$data]),
    percent_text(combinability(paper_words, of_paper, paper_processes)),
    whole(sets$words / 1e6), whole(sets$unique), percent_text(eq1), percent_text(sets$median), spread,
    paste(sets$n)
  )
  table_figure(rows,
    header = c("data set", "unique words", "printed", "Eq. 1", "million\nwords", "unique words", "Eq. 1", "measured",
      "interval", "n"),
    x = c(0, 28, 43, 61, 77, 96, 115, 133, 165, 171), right = c(FALSE, rep(TRUE, 9)),
    groups = data.frame(
      from = c(11, 64), to = c(62, 172),
      text = c("paper: 4 billion words, 72 processes", paste("here:", and_text(ranks_text(sort(unique(sets$ranks))))))
    ),
    strong = which(sets$data %in% c("4B72", "4B1M", "4B50M")),
    "Bold: the three rows of the paper's Table 1. Eq. 1: rate = (words \u2212 processes \u00d7 unique) / words.",
    "Measured: share of the records that the combiner took away before the exchange, median of all caps and",
    "repetitions;",
    paste0("interval: ", interval_text(sets$n), "."),
    "\u00b9 in the text of the paper, not in its table.", missing_text(table), source_text(rates$source),
    height = 62)
}
