# The command line shared by all figures:
#   Rscript figNN.R --out STEM name=path.csv ...
# `name` is an experiment id (stages) or a part of it (stages.trace). Every named table is required.

# Ends the figure with one line for the reader instead of R's call stack.
fail <- function(...) stop(paste0(...), call. = FALSE)

# args: command-line words; names: the table names this figure takes. Returns list(out, paths).
parse_args <- function(args, names) {
  usage <- paste0("usage: --out STEM ", paste0(names, "=FILE.csv", collapse = " "))
  at <- which(args == "--out")
  if (length(at) != 1 || at == length(args)) fail("exactly one --out STEM is needed; ", usage)
  words <- args[-c(at, at + 1)]
  odd <- words[!grepl("^[A-Za-z0-9._-]+=.", words)]
  if (length(odd)) fail("cannot read the argument '", odd[1], "'; ", usage)
  paths <- stats::setNames(sub("^[^=]*=", "", words), sub("=.*$", "", words))
  extra <- setdiff(names(paths), names)
  if (length(extra)) fail("unknown table '", extra[1], "'; ", usage)
  absent <- setdiff(names, names(paths))
  if (length(absent)) fail("table '", absent[1], "' is not given; ", usage)
  if (anyDuplicated(names(paths))) fail("a table is given twice; ", usage)
  list(out = args[at + 1], paths = paths)
}

# Runs one figure. tables: named vector, table name -> kind of table ("runs", "trace" or "fill", see read.R).
# draw: function(tables) -> list(plot, size) where size names a canonical size of save.R.
figure_main <- function(tables, draw) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])
  who <- sub("[.]R$", "", basename(script))
  tryCatch({
    call <- parse_args(commandArgs(TRUE), names(tables))
    read <- Map(read_table, call$paths[names(tables)], tables)
    figure <- draw(read)
    save_figure(figure$plot, call$out, figure$size)
  }, error = function(problem) {
    message(who, ": ", gsub("\\s*\n\\s*", " ", conditionMessage(problem)))
    quit(save = "no", status = 1)
  })
}
