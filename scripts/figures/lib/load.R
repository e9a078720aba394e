# Loads the figure library. A figure script sources this file and then calls figure_main().
# The locale is fixed so that sorting and non-ASCII labels do not depend on who runs the figure.
invisible(Sys.setlocale("LC_CTYPE", "C.UTF-8"))
invisible(Sys.setlocale("LC_COLLATE", "C"))
Sys.setenv(TZ = "UTC")
options(stringsAsFactors = FALSE, scipen = 999)

suppressPackageStartupMessages({
  library(ggplot2)
  library(patchwork)
  library(grid)
})

local({
  sourced <- Filter(Negate(is.null), lapply(sys.frames(), function(frame) frame$ofile))
  lib <- dirname(sourced[[length(sourced)]])
  parts <- c(
    "cli", "read", "text", "stats", "palette", "theme", "marks", "traces", "strip", "fill", "sweep", "table", "save"
  )
  for (part in parts) source(file.path(lib, paste0(part, ".R")), encoding = "UTF-8")
})
