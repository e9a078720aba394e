# Sort by data size: time of the job.

takes <- c(sizes = "sized", spill = "sized")

draw <- function(tables) size_figure(tables, "sort", 0.55, 0.28)
