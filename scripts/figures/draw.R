# Draws one figure from its tables:
#   Rscript scripts/figures/draw.R scripts/figures/mimir/fig02.R --out STEM --series series.csv \
#     combiner=combiner.csv combiner.trace=combiner.trace.csv
# writes STEM.pdf, STEM.svg and STEM.png, all or none. Exit status 1 and one line on stderr if that cannot be. Without a
# table of series (results/<scale>/tables/<study>/series.csv) each series has its id as label and a look that is free.
# --above LINE says something of all runs that the tables do not tell.
#
# The script of a figure defines two things and may use all of lib/:
#   takes: the tables it is drawn from, name -> kind of table (lib/read.R). All must be given, and no others.
#   draw:  function(tables) of these tables as data frames; returns list(plot, size), size as in lib/save.R, or
#          list(pages), a list of such lists by name, which become files of the folder STEM.
here <- dirname(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)), fixed = TRUE))
source(file.path(here, "lib", "cli.R"), encoding = "UTF-8")
status <- run_command(file.path(here, "lib"), commandArgs(TRUE))
if (status != 0) quit(save = "no", status = status)
