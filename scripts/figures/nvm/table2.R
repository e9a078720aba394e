# The slides' notation, and what stands for each design here.

takes <- c(spill = "sized")

draw <- function(tables) {
  runs <- tables$spill
  rows <- rbind(
    c("MR, MR-IPoIB", "Apache Hadoop 2.6.0", "mr", "Hadoop 3.4.2"),
    c("RMR", "RDMA Hadoop 0.9.7", "rmr", "re-implementation after its papers"),
    c("RMR-NVM", "RDMA Hadoop with NVRAM-assisted map spill", "rmr-nvm", "the same with spills in NVRAM"),
    c("\u2013", "", "mr-nvm", "spills and output in NVRAM"),
    c("\u2013", "", "mr-nvm-disk", "spills in NVRAM, output on disk")
  )
  rows <- cbind(rows, vapply(rows[, 3], runs_cell, "", runs = runs))
  table_figure(rows, c("notation", "what it is", "id", "what it is", "Sort, TeraSort"), c(0, 26, 92, 114, 172),
    c(FALSE, FALSE, FALSE, FALSE, TRUE), data.frame(from = c(0, 90), to = c(86, 172), text = c("slides", "here")),
    missing_text(runs), rates_text(runs))
}
