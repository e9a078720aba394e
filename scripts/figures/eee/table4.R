# Table IV: the coalescing settings, as configured, and what their triggers mean on links and in buffers.

paper <- data.frame(id = c("nopa", "12us10", "120us100", "1ms1000", "10ms1000"),
  hold = c("", "12 \u00b5s", "120 \u00b5s", "1 ms", "10 ms"),
  trigger = c("no coalescing", "10", "100", "1,000", "1,000"))

takes <- c(link = "link", parameters = "parameters")

draw <- function(tables) {
  runs <- tables$link
  number <- function(name) {
    key <- paste0("eee.core.", name)
    vapply(paste0("setting=", paper$id), function(level) parameter_number(tables$parameters, key, level = level), 0)
  }
  shallow <- parameter_number(tables$parameters, "buffer_bytes", level = "buffer=shallow")
  us <- number("hold_us")
  packets <- number("trigger")
  dash <- function(x, text) ifelse(is.na(x), "\u2013", text)
  time <- function(x) ifelse(x >= 1000, paste(x / 1000, "ms"), paste(x, "\u00b5s"))
  at <- function(metric, factor, digits) {
    rows <- metric_rows(runs[runs$load %in% 10, ], metric)
    value <- tapply(rows$value, factor(rows$setting, paper$id), stats::median)
    dash(value, formatC(factor * as.numeric(value), format = "f", digits = digits, big.mark = ","))
  }
  rows <- data.frame(
    paper, dash(us, time(us)), dash(packets, scales::label_comma()(packets)),
    dash(packets, time(packets * 1.2)), dash(packets, time(packets * 12)),
    dash(packets, ifelse(packets * 1500 <= shallow, "yes", "no")),
    at("power.rel", 100, 1), at("wait.mean", 1e6, 1)
  )
  table_figure(rows,
    header = c("setting", "hold", "trigger", "hold", "trigger", "10 Gb/s", "1 Gb/s", "128 KiB", "power, %",
      "wait, \u00b5s"),
    x = c(0, 32, 53, 68, 83, 100, 116, 132, 152, 172), right = c(FALSE, rep(TRUE, 9)),
    groups = data.frame(from = c(20, 57, 87, 136), to = c(53, 83, 132, 172),
      text = c("paper", "here", "trigger at line rate, in", "link at 10 % load")),
    "Here: settings of the 10GbE ports in the configuration of this study. Trigger at line",
    "rate: the time in which so many frames of 1,500 bytes come; in 128 KiB: whether a shallow buffer holds them.",
    "Link: simulated, 10GBASE-T, Poisson arrivals of 1,500-byte frames.", missing_text(runs),
    source_text(metric_rows(runs, "power.rel")$source),
    height = 52)
}
