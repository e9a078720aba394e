# The command line of draw.R, and the one way from a figure's script to its files.

# The locale is fixed so that sorting and non-ASCII labels do not depend on who draws.
invisible(Sys.setlocale("LC_CTYPE", "C.UTF-8"))
invisible(Sys.setlocale("LC_COLLATE", "C"))
Sys.setenv(TZ = "UTC")
options(stringsAsFactors = FALSE, scipen = 999)

library_parts <- c(
  "read", "text", "stats", "palette", "series", "theme", "caption", "panels", "runtimes", "traces", "table", "stages",
  "flow", "save"
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

# The words of the command line. Returns list(script, out, series, above, paths): paths by the name of the table; series
# and above NULL if they are not given.
parse_words <- function(words) {
  usage <- "usage: draw.R SCRIPT.R --out STEM [--series FILE.csv] [--above LINE] NAME=FILE.csv ..."
  option <- function(name) {
    at <- which(words == name)
    if (length(at) > 1 || any(at == length(words))) fail("found ", name, " without or with two values; ", usage)
    value <- words[at + 1]
    words <<- words[setdiff(seq_along(words), c(at, at + 1))]
    if (length(value)) value
  }
  out <- option("--out")
  series <- option("--series")
  above <- option("--above")
  if (is.null(out)) fail("no --out STEM is given; ", usage)
  if (!length(words) || grepl("=", words[1])) fail("the script of the figure is not given; ", usage)
  odd <- words[-1][!grepl("^[A-Za-z0-9._-]+=.", words[-1])]
  if (length(odd)) fail("cannot read the argument '", odd[1], "'; ", usage)
  paths <- stats::setNames(sub("^[^=]*=", "", words[-1]), sub("=.*$", "", words[-1]))
  list(script = words[1], out = out, series = series, above = above, paths = paths)
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
  source(script, local = figure, encoding = "UTF-8")
  figure
}

# Draws the figure of one script into out.{svg,pdf,png}, or each of several pages of one into the folder out.
draw_figure <- function(folder, call) {
  parts <- load_library(folder)
  study <- basename(dirname(call$script))
  if (study %in% names(parts$small_sizes)) parts$small_size <- parts$small_sizes[[study]]
  figure <- source_figure(call$script, parts)
  check_names(names(call$paths), names(figure$takes))
  if (!is.null(call$series)) parts$use_series(parts$read_table(call$series, "series"))
  drawn <- figure$draw(Map(parts$read_table, call$paths[names(figure$takes)], figure$takes))
  save <- function(figure, stem) {
    plot <- if (is.null(call$above)) figure$plot else parts$below_line(figure$plot, figure$size, call$above)
    parts$save_figure(plot, stem, figure$size)
  }
  if (is.null(drawn$pages)) return(save(drawn, call$out))
  parts$make_folder(call$out)
  for (name in names(drawn$pages)) save(drawn$pages[[name]], file.path(call$out, name))
}

# The whole command. Returns the exit status; what went wrong is one line on stderr that names the figure.
run_command <- function(folder, words) {
  name <- "draw.R"
  tryCatch({
    call <- parse_words(words)
    name <- sub("[.]R$", "", basename(call$script))
    draw_figure(folder, call)
    0
  }, error = function(problem) {
    message(name, ": ", gsub("\\s*\n\\s*", " ", conditionMessage(problem)))
    1
  })
}
