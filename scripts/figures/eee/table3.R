# Table III: the benchmarks: what a job reads, shuffles and writes, the paper beside what the runs did.

paper <- data.frame(
  name = c("TeraSort, small", "Search, small", "Index, small", "mean of the mix", "TeraSort, 23 workers",
    "TeraSort, 49 workers", "TeraSort, 79 workers"),
  share = c("33 %", "33 %", "33 %", "", "100 %", "100 %", "100 %"),
  input = c("640", "640", "640", "640", "5,888", "12,544", "20,224"),
  shuffle = c("640", "0.033", "114", "251.3", "5,888", "12,544", "20,224"),
  output = c("640", "0.033", "114", "251.3", "5,888", "12,544", "20,224"),
  workload = c("", "", "", "small", "batch", "batch", "batch"), nodes = c(NA, NA, NA, NA, 24, 50, 80)
)

takes <- c(standard = "netsim")

draw <- function(tables) {
  runs <- tables$standard
  jobs <- metric_rows(runs, "jobs")
  key <- function(d) paste(d$point, d$rep, sep = "\r")
  here_of <- function(metric, workload, nodes) {
    rows <- metric_rows(runs, metric)
    rows <- rows[rows$workload %in% workload & (is.na(nodes) | rows$nodes %in% nodes), ]
    if (nrow(rows) == 0) return(if (nzchar(workload)) "\u2013" else "")
    a_job <- rows$value / jobs$value[match(key(rows), key(jobs))] / 2^20
    formatC(stats::median(a_job), format = "f", digits = 1, big.mark = ",")
  }
  here_text <- function(metric) mapply(here_of, metric, paper$workload, paper$nodes)
  rows <- data.frame(paper[c("name", "share", "input", "shuffle", "output")], here_text("input.bytes"),
    here_text("shuffle.bytes"), here_text("output.bytes"))
  table_figure(rows,
    header = c("benchmark", "share of jobs", "input", "shuffle", "output", "input", "shuffle", "output"),
    x = c(0, 62, 82, 99, 116, 138, 155, 172), right = c(FALSE, rep(TRUE, 7)),
    groups = data.frame(from = c(42, 124), to = c(116, 172), text = c("paper, MB", "here, MiB a job")),
    "Here: medians of the runs of Fig. 7. Small jobs of the three kinds come in an order",
    "drawn at random, so that the mean of a short stream need not be that of the mix.",
    jobs_text(runs), missing_text(runs), source_text(metric_rows(runs, "shuffle.bytes")$source),
    height = 52)
}
