# TeraSort by data size: time of the job.

takes <- c(sizes = "sized", spill = "sized")

draw <- function(tables) size_figure(tables, "terasort", 0.51, 0.31)
