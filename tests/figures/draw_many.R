# Draws many figures in one process, each as draw.R would:
#   Rscript draw_many.R FOLDER_OF_FIGURES JOBS
# JOBS holds a command line a line, its words separated by tabs. Writes a line for each: its exit status, a tab, and
# what it said on stderr, warnings included, with \n between lines.
words <- commandArgs(TRUE)
source(file.path(words[1], "lib", "cli.R"), encoding = "UTF-8")
options(warn = 1)

for (job in strsplit(readLines(words[2], encoding = "UTF-8"), "\t", fixed = TRUE)) {
  said <- character()
  note <- function(condition, restart) {
    said <<- c(said, trimws(conditionMessage(condition)))
    invokeRestart(restart)
  }
  status <- withCallingHandlers(
    run_command(file.path(words[1], "lib"), job),
    message = function(condition) note(condition, "muffleMessage"),
    warning = function(condition) note(condition, "muffleWarning")
  )
  cat(status, "\t", gsub("\n", "\\n", paste(said, collapse = "\n"), fixed = TRUE), "\n", sep = "")
}
