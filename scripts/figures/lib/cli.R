# The command line of draw.R, and the one way from a figure's script to its files.

# The locale is fixed so that sorting and non-ASCII labels do not depend on who draws.
invisible(Sys.setlocale("LC_CTYPE", "C.UTF-8"))
invisible(Sys.setlocale("LC_COLLATE", "C"))
Sys.setenv(TZ = "UTC")
options(stringsAsFactors = FALSE, scipen = 999)

library_parts <- c(
  "read", "text", "stats", "palette", "series", "theme", "caption", "panels", "traces", "table", "save", "config"
)

# Ends the figure with one line for the reader instead of R's call stack.
fail <- function(...) stop(paste0(...), call. = FALSE)

# All of the library in an environment of its own: figures drawn by one process cannot change each other.
load_library <- function(folder) {
  suppressPackageStartupMessages({
    library(ggplot2)
    library(patchwork)
    library(grid)
  })
  parts <- new.env(parent = globalenv())
  for (part in library_parts) source(file.path(folder, paste0(part, ".R")), local = parts, encoding = "UTF-8")
  parts
}

# The words of the command line. Returns list(script, out, paths), paths by the name of the table.
parse_words <- function(words) {
  usage <- "usage: draw.R SCRIPT.R --out STEM NAME=FILE.csv ..."
  at <- which(words == "--out")
  if (length(at) != 1 || at == length(words)) fail("exactly one --out STEM is needed; ", usage)
  others <- words[-c(at, at + 1)]
  if (!length(others) || grepl("=", others[1])) fail("the script of the figure is not given; ", usage)
  odd <- others[-1][!grepl("^[A-Za-z0-9._-]+=.", others[-1])]
  if (length(odd)) fail("cannot read the argument '", odd[1], "'; ", usage)
  paths <- stats::setNames(sub("^[^=]*=", "", others[-1]), sub("=.*$", "", others[-1]))
  list(script = others[1], out = words[at + 1], paths = paths)
}

# Stops unless exactly the tables that a figure takes are given.
check_names <- function(given, wanted) {
  usage <- paste0("it takes ", paste0(wanted, "=FILE.csv", collapse = " "))
  extra <- setdiff(given, wanted)
  if (length(extra)) fail("unknown table '", extra[1], "'; ", usage)
  absent <- setdiff(wanted, given)
  if (length(absent)) fail("table '", absent[1], "' is not given; ", usage)
  if (anyDuplicated(given)) fail("a table is given twice; ", usage)
}

# What the script of a figure defines, in an environment of its own below the library's.
source_figure <- function(script, parts) {
  if (!file.exists(script)) fail(script, ": no such script of a figure")
  figure <- new.env(parent = parts)
  figure$here <- dirname(script)
  source(script, local = figure, encoding = "UTF-8")
  figure
}

# Draws the figure of one script into out.{svg,pdf,png}.
draw_figure <- function(folder, script, out, paths) {
  parts <- load_library(folder)
  study <- basename(dirname(script))
  if (study %in% names(parts$small_sizes)) parts$small_size <- parts$small_sizes[[study]]
  figure <- source_figure(script, parts)
  check_names(names(paths), names(figure$takes))
  tables <- Map(parts$read_table, paths[names(figure$takes)], figure$takes)
  drawn <- figure$draw(tables)
  parts$save_figure(drawn$plot, out, drawn$size)
}

# The whole command. Returns the exit status; what went wrong is one line on stderr that names the figure.
run_command <- function(folder, words) {
  name <- "draw.R"
  tryCatch({
    call <- parse_words(words)
    name <- sub("[.]R$", "", basename(call$script))
    draw_figure(folder, call$script, call$out, call$paths)
    0
  }, error = function(problem) {
    message(name, ": ", gsub("\\s*\n\\s*", " ", conditionMessage(problem)))
    1
  })
}
