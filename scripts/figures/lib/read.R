# Reading the tables. A table is checked before anything is drawn: a figure from half a table would look finished.

run_factors <- c(
  "study", "experiment", "point", "app", "data", "platform", "strategy", "combine", "balance", "pipeline"
)
run_numbers <- c("rep", "words", "unique", "ranks", "buffer_mb", "buffer_bytes", "cap_w", "sample_ms")
outcome <- c("status", "reason", "metric", "unit", "source")
sample <- c("host", "domain", "metric", "unit", "source")

# By kind of table: its columns of text and of numbers.
table_columns <- list(
  # Runs of the engine: metrics, samples over time, fill of the send buffer.
  runs = list(text = c(run_factors, outcome), number = c(run_numbers, "value")),
  trace = list(text = c(run_factors, sample), number = c(run_numbers, "t_s", "value")),
  fill = list(
    text = c("point", "case", "event"),
    number = c("rank", "word_index", "partition", "records", "bytes", "capacity_bytes")
  ),
  # Runs on clusters: metrics, samples of every host, phases of tasks, counters; samples of one cell.
  cells = list(
    text = c("study", "experiment", "point", "framework", "disk", "benchmark", outcome),
    number = c("rep", "nodes", "value")
  ),
  samples = list(
    text = c("point", "framework", "disk", "benchmark", sample), number = c("rep", "nodes", "t_s", "value")
  ),
  usage = list(text = c("cell", "point", "links", sample), number = c("rep", "sharing", "t_s", "value")),
  tasks = list(
    text = c("point", "framework", "disk", "benchmark", "job", "task", "host", "kind", "phase", "status"),
    number = c("rep", "nodes", "start_s", "end_s")
  ),
  counters = list(
    text = c("point", "framework", "disk", "benchmark", "job", "job_name", "kind", "counter_group", "counter"),
    number = c("rep", "nodes", "value")
  ),
  # The same of a study with sizes, and stages of map tasks.
  sized = list(
    text = c("study", "experiment", "point", "framework", "disk", "benchmark", outcome),
    number = c("rep", "nodes", "size", "value")
  ),
  stages = list(
    text = c("point", "framework", "disk", "benchmark", "job", "task", "host", "stage", "unit"),
    number = c("rep", "nodes", "size", "value")
  ),
  # Simulations of a network, of one link, and the states of its port over time.
  netsim = list(
    text = c("study", "experiment", "point", "workload", "buffer", "tcp", "setting", "scheduler", "flavour", "queue",
      "variant", outcome),
    number = c("rep", "nodes", "stall_us", "latency_us", "load", "value")
  ),
  link = list(text = c("study", "experiment", "point", "setting", outcome), number = c("rep", "load", "value")),
  states = list(
    text = c("point", "setting", "host", "domain", "metric", "source"), number = c("rep", "t_s", "value")
  ),
  # Rounds of `make bench`: programs that count words, and that sort.
  word_rounds = list(text = c("data", "program"), number = c("words", "unique", "round", "cpu_ratio")),
  sort_rounds = list(text = "program", number = c("records", "round", "cpu_ratio")),
  # Of a study: its parameters at each scale, and labels and looks of its series.
  parameters = list(text = c("scale", "level", "key", "value", "unit"), number = character()),
  # What is left of time and energy after each change, of all studies.
  levers = list(
    text = c("lever", "label", "study", "quantity", "claim", "verdict", "source", "note"),
    number = c("value", "low", "high", "n", "paper_low", "paper_high")
  ),
  # Published results, under the names of our metrics.
  anchors = list(text = c("id", "label", "metric", "unit", "source"), number = c("year", "value")),
  series = list(text = c("id", "label", "colour", "linetype", "note"), number = "shape")
)

# One CSV as a data frame; empty cells are NA. Stops, naming file and column, if a column is missing, a row is cut
# short or a number is none. Columns the figures do not use are dropped.
read_table <- function(path, kind) {
  if (!file.exists(path)) fail(path, ": no such file")
  if (file.size(path) == 0) fail(path, ": the file is empty; expected a CSV with a header")
  columns <- table_columns[[kind]]
  rows <- tryCatch(
    utils::read.table(path,
      header = TRUE, sep = ",", quote = "\"", comment.char = "", fill = FALSE, na.strings = "",
      colClasses = "character", check.names = FALSE, encoding = "UTF-8"
    ),
    error = function(e) fail(path, ": not a whole CSV table (", conditionMessage(e), ")"),
    warning = function(e) fail(path, ": not a whole CSV table (", conditionMessage(e), ")")
  )
  absent <- setdiff(c(columns$text, columns$number), names(rows))
  if (length(absent)) fail(path, ": column '", absent[1], "' is missing; a ", kind, " table needs it")
  rows <- rows[c(columns$text, columns$number)]
  for (column in columns$number) {
    given <- rows[[column]]
    rows[[column]] <- suppressWarnings(as.numeric(given))
    bad <- which(!is.na(given) & is.na(rows[[column]]))
    if (length(bad)) fail(path, ": column '", column, "', row ", bad[1], ": '", given[bad[1]], "' is not a number")
  }
  attr(rows, "path") <- path
  rows
}

# The measured values of one metric: rows of runs that ended well and have a value.
metric_rows <- function(runs, metric) {
  runs[runs$status %in% "ok" & runs$metric %in% metric & !is.na(runs$value), ]
}

# Values of a key of a table of parameters at one scale, as text. level: "factor=level", where the values may be others
# than those of the base; those of the base where they are not.
parameter <- function(rows, key, scale = rows$scale[1], level = "") {
  rows <- rows[rows$key %in% key & rows$scale %in% scale, ]
  own <- rows$value[rows$level %in% level]
  if (length(own)) own else rows$value[is.na(rows$level)]
}
parameter_number <- function(...) as.numeric(parameter(...)[1])

# The scales of such a table that are shown side by side: the project's own, then the one that is drawn.
shown_scales <- function(rows) unique(c(intersect(c("smoke", "laptop", "paper"), rows$scale), rows$scale[1]))

# Stops when a figure would come out with nothing in it.
need_rows <- function(rows, table, what) {
  if (nrow(rows) == 0) fail(attr(table, "path"), ": nothing to draw: no row with ", what)
  invisible(rows)
}
