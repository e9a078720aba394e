# What a figure says about its numbers: where they come from, how many runs, what is missing. All of it is made from the
# rows that are drawn; no flag can switch a mark off.

# Caption from pieces, wrapped to the width of a canonical size. A number and its unit stay together.
caption <- function(size, ...) {
  text <- paste(Filter(nzchar, unlist(list(...))), collapse = " ")
  text <- gsub("([0-9]) (%|W|s|GB)(?![[:alnum:]])", "\\1\u00a0\\2", text, perl = TRUE)
  wrap_text(text, size_mm(size)[["width"]] - 4, small_size)
}

subtitle <- function(size, text, margin = 4) {
  if (is.null(text)) NULL else wrap_text(text, size_mm(size)[["width"]] - margin, base_size)
}

# The profiles behind emulated rows, "" where there are none: "emulated:knm" -> "knm"
emulated_profiles <- function(source) {
  sort(unique(sub("^emulated:", "", grep("^emulated:", source, value = TRUE))))
}

# The plot below a line that holds for all of it, in the warning colour.
below_line <- function(plot, size, line) {
  words <- element_text(family = font_family, face = "bold", size = base_size, colour = warn_colour,
    margin = margin(b = 3))
  plot + plot_annotation(title = subtitle(size, line, 8), theme = theme(plot.title = words))
}

# Subtitle of a figure with emulated watts; NULL if all rows are measured.
emulated_note <- function(source) {
  profiles <- emulated_profiles(source)
  if (!length(profiles)) return(NULL)
  paste0("EMULATED power (profile ", and_text(profiles), "): the output of a model, no evidence about watts or joules.")
}

# Whether the hosts were emulated: the rate of their links says so.
hosts_emulated <- function(runs) any(startsWith(metric_rows(runs, "link.rate")$source, "emulated:"))

emulated_hosts <- "EMULATED hosts and links on one machine: times show directions."

# Subtitle in the warning colour of a figure of runs on emulated hosts or with emulated watts, or one that shows
# something else than the paper's. rows: those drawn; instead: what is shown and what is not.
run_note <- function(runs, rows, instead = NULL) {
  hosts <- if (hosts_emulated(runs)) emulated_hosts
  said <- paste(Filter(nzchar, c(instead, hosts, emulated_note(rows$source))), collapse = " ")
  if (nzchar(said)) said else NULL
}

# Hosts that share the processors by which the share of each is counted: metric hosts.sharing, which older tables lack.
sharing_hosts <- function(runs, nodes) {
  said <- metric_rows(runs, "hosts.sharing")
  if (!nrow(said)) return(if (hosts_emulated(runs)) nodes else rep(1, length(nodes)))
  ifelse(nodes %in% said$nodes[said$value > 1], nodes, 1)
}

# Why there is no energy: the reason written in the tables.
no_energy_reason <- function(runs) {
  rows <- runs[startsWith(runs$metric, "energy.") %in% TRUE & runs$source %in% "none" & !is.na(runs$reason), ]
  unique(rows$reason)
}

# The same without its stock beginning, for a sentence that has it.
power_reason <- function(runs) {
  reasons <- unique(sub("^no power source:? *", "", no_energy_reason(runs)))
  if (!length(reasons)) "no reason recorded" else shorten(reasons[1])
}

no_energy_text <- function(runs) {
  why <- no_energy_reason(runs)
  paste0("No energy was measured", if (length(why)) paste0(" (", shorten(why[1]), ")"), ".")
}

# "Sources: measured:clock, measured:procfs." "" where nothing was measured.
source_text <- function(source) {
  known <- sort(unique(source[!source %in% c("none", NA)]))
  if (length(known)) paste0("Sources: ", paste(known, collapse = ", "), ".") else ""
}

# "64 million words"; by panel where they differ: "Words: 704 million in a, 64 million in b".
words_text <- function(runs) {
  known <- runs[!is.na(runs$words), ]
  words <- sort(unique(known$words))
  if (is.null(known$letter) || length(words) < 2) return(paste(and_text(count_text(words)), "words"))
  known <- unique(data.frame(words = known$words, letter = as.character(known$letter)))
  known <- known[order(known$letter, known$words), ]
  by_panel <- tapply(known$words, known$letter, function(words) and_text(count_text(words)))
  paste("Words:", and_text(paste(by_panel, "in", names(by_panel))))
}

# "64 million words per data set (paper: 4 billion), 1 and 2 ranks."
scale_text <- function(runs) {
  words <- sort(unique(stats::na.omit(runs$words)))
  ranks <- sort(unique(stats::na.omit(runs$ranks)))
  paper <- if (identical(words, 4e9)) "" else " (paper: 4\u00a0billion)"
  paste0(
    words_text(runs), paper, ", ",
    and_text(ranks), if (identical(ranks, 1)) " rank." else " ranks."
  )
}

# A rank that has a processor for less of its time than this had to share it: LEAST_SHARE of src/harness/runs/run.py.
least_share <- 0.8

# Runs whose ranks had to wait for processors: those that were made again, and those that stayed so. "" without any.
placement_text <- function(runs) {
  again <- sum(metric_rows(runs, "attempts")$value > 1)
  share <- metric_rows(runs, "cpu.share.min")
  crowded <- sum(share$value < least_share)
  percent <- paste0("more than ", round(100 * (1 - least_share)), " %")
  paste(c(
    if (again) paste(count_runs(again), "made again, since a rank had no processor for", percent, "of its time."),
    if (crowded) paste("In", crowded, "of", nrow(share), "runs a rank had no processor for", percent, "of its time.")
  ), collapse = " ")
}

count_runs <- function(n) if (n == 1) "1 run was" else paste(n, "runs were")

# "Links limited to 200 Mbit/s (GbE) and 800 Mbit/s (IPoIB); the paper: ..." from metric link.rate; "" without one.
rates_text <- function(runs) {
  rates <- metric_rows(runs, "link.rate")
  if (nrow(rates) == 0) return("")
  name <- ifelse(endsWith(rates$framework, "-gbe"), "GbE", "IPoIB")
  each <- unique(data.frame(name, value = rates$value))
  each <- each[order(each$name, each$value), ]
  paste0(if (hosts_emulated(runs)) "Emulated hosts, links" else "Links", " limited to ",
    and_text(paste0(count_text(each$value), "\u00a0Mbit/s (", each$name, ")")),
    "; the paper\u2019s: ", if (!"nvm" %in% runs$study) "1,000 (GbE) and ", "56,000 (InfiniBand).")
}

# Whether TeraSort had the paper's data in all runs, gb: 10^9 bytes.
paper_size <- function(runs, gb) {
  records <- metric_rows(runs, "records")$value
  length(records) > 0 && min(records) * 100 >= 0.99 * gb * 1e9
}

# How much data TeraSort has here, if the runs tell: "TeraSort: 0.13 GB (the paper: 128 GB)."
terasort_size_text <- function(runs, paper) {
  records <- sort(unique(metric_rows(runs[runs$benchmark %in% "terasort", ], "records")$value))
  if (!length(records)) return("")
  gb <- paste(signif(records * 100 / 1e9, 2), collapse = " and ")
  paste0("TeraSort: ", gb, "\u00a0GB (the paper: ", paper, "\u00a0GB).")
}

# Number of jobs of a simulation: "60 jobs a stream." from metric jobs of the workloads that are streams.
jobs_text <- function(runs) {
  jobs <- metric_rows(runs, "jobs")
  jobs <- sort(unique(jobs$value[!jobs$workload %in% "batch"]))
  if (!length(jobs)) return("")
  paste(and_text(count_text(jobs)), if (identical(jobs, 1)) "job a run." else "jobs a stream.")
}

# What points, ticks and lines are: all runs of a point, their median, their range.
runs_text <- function(rows, mark = "bar: median") {
  n <- as.integer(table(paste(rows$point, rows$metric)))
  if (!length(n)) return("No run has a value.")
  if (max(n) == 1) return("Each point is one run (n = 1).")
  paste0("Points: all runs (n = ", n_text(n), "); ", mark, "; line: ", interval_text(n), ".")
}

# The same of simulations, whose runs differ in their seeds.
seeds_text <- function(rows, mark = "line: median") {
  n <- as.integer(table(rows$point))
  if (!length(n)) return("No run has a value.")
  if (max(n) == 1) return("Each point: one run (n = 1 seed).")
  paste0("Small points: all runs (n = ", n_text(n), " seeds); ", mark, "; bar: ", interval_text(n), ".")
}

# The first clause of a reason; the tables and the report hold all of it.
shorten <- function(text, limit = 110) {
  text <- sub("; .*$", "", text)
  ifelse(nchar(text) > limit, paste0(substr(text, 1, limit - 1), "\u2026"), text)
}

# Runs that failed or ran out of time, with the first reasons. Nothing if there are none.
failed_text <- function(runs) {
  said <- character()
  for (state in c("failed", "timeout")) {
    rows <- runs[runs$status %in% state, ]
    words <- if (state == "failed") "failed" else "ran out of time"
    tell <- function(rows, why) {
      if (!nrow(rows)) return(NULL)
      n <- nrow(unique(rows[c("point", "rep")]))
      paste0(n, if (n > 1) " runs " else " run ", words, " (", why, ").")
    }
    first <- utils::head(unique(rows$reason), 2)
    for (reason in first) said <- c(said, tell(rows[rows$reason %in% reason, ], shorten(reason)))
    said <- c(said, tell(rows[!rows$reason %in% first, ], "for other reasons"))
  }
  said
}

# What of some rows that were not run was never tried: caps, frameworks or disks; else how many settings.
missing_levels <- function(rows, tried) {
  caps <- sort(setdiff(unique(rows$cap_w), tried$cap_w), decreasing = TRUE)
  what <- if (length(caps)) paste0(if (length(caps) > 1) "caps " else "cap ", and_text(caps), " W")
  what <- c(what, unique(label_of(setdiff(rows$framework, tried$framework))))
  if (!length(what)) what <- unname(all_disks[setdiff(rows$disk, tried$disk)])
  capped <- if (is.null(rows$cap_w)) FALSE else rows$cap_w %in% caps
  rest <- length(unique(rows$point[!capped]))
  if (!length(what) || length(caps) && rest) {
    what <- c(what, paste(rest, if (rest > 1) "settings" else "setting"))
  }
  and_text(what)
}

# "c to f" for letters that follow each other, else a list.
letters_text <- function(x) {
  at <- match(x, letters)
  if (length(x) > 2 && all(diff(at) == 1)) paste(x[1], "to", x[length(x)]) else and_text(x)
}

# The first line of a figure that lacks panels or sizes of the paper's. panels: letters by what they show; drawn: which
# of them are drawn; nodes: sizes that were run. "" if nothing lacks.
lacking_text <- function(panels, drawn, nodes) {
  lost <- setdiff(names(panels), drawn)
  said <- vapply(lost, function(name) {
    paste0("panel", if (length(panels[[name]]) > 1) "s", " ", letters_text(panels[[name]]), " (", name, ")")
  }, "")
  sizes <- setdiff(c(3, 5, 9, 13), nodes)
  if (length(sizes)) said <- c(said, paste(and_text(sizes), "nodes"))
  if (!length(said)) return("")
  paste0("Not shown for want of data: ", paste(said, collapse = "; "),
    ". Letters are the paper\u2019s. Why is said below.")
}

# Why a disk or a size is not drawn, where the tables have no reason because it was not planned.
unplanned_text <- function(runs) {
  sizes <- setdiff(c(3, 5, 9, 13), runs$nodes)
  said <- c(disk_label[setdiff(names(disk_label), runs$disk)], if (length(sizes)) paste(and_text(sizes), "nodes"))
  if (length(said)) paste0("No part of this scale: ", and_text(said), ".") else ""
}

# Notes of frameworks that ran: "Hadoop-UDA: re-implementation after the paper." Nothing if there are none.
notes_text <- function(runs) {
  ran <- series_table$id[series_table$id %in% runs$framework[runs$status %in% "ok"]]
  notes <- series_notes[ran]
  vapply(unique(stats::na.omit(notes)), function(note) {
    paste0(and_text(label_of(ran[notes %in% note])), ": ", note, ".")
  }, "")
}

# Notes of what ran; what is missing, by reason: "Not run: Hadoop-UDA (no shuffle ...)."; runs that failed. "" if there
# is nothing to say.
missing_text <- function(runs) {
  absent <- runs[runs$status %in% "not-run", ]
  tried <- runs[!runs$status %in% "not-run", ]
  absent$why <- sub("^[a-z0-9-]+( '[a-z]+')?: ", "", absent$reason)
  first <- utils::head(unique(absent$why), 6)
  said <- vapply(first, function(why) {
    paste0(missing_levels(absent[absent$why %in% why, ], tried), " (", shorten(why), ")")
  }, "")
  others <- absent[!absent$why %in% first, ]
  if (nrow(others)) said <- c(said, paste(missing_levels(others, tried), "(for other reasons)"))
  if (length(said)) said <- paste0("Not run: ", paste(said, collapse = "; "), ".")
  paste(c(notes_text(runs), said, failed_text(runs)), collapse = " ")
}
