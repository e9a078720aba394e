# What a figure says about its numbers: where they come from, how many, what is missing. All of it is made from the
# rows that are drawn; no flag can switch a mark off.

# The profiles behind emulated rows, "" where there are none: "emulated:knm" -> "knm"
emulated_profiles <- function(source) {
  sort(unique(sub("^emulated:", "", grep("^emulated:", source, value = TRUE))))
}

# Draws diagonal lines and the word EMULATED across a panel. Data: one row per panel, column `profile`.
GeomEmulated <- ggproto("GeomEmulated", Geom, # nolint: object_name_linter. ggplot2's own naming.
  required_aes = "profile",
  draw_key = draw_key_blank,
  draw_panel = function(data, panel_params, coord) {
    at <- seq(0, 400, by = 4)
    grobTree(
      segmentsGrob(
        unit(at - 200, "mm"), unit(0, "npc"), unit(at, "mm"), unit(0, "npc") + unit(200, "mm"),
        gp = gpar(col = "#D6D6D6", lwd = 0.5)
      ),
      textGrob(paste0("EMULATED (", data$profile[1], ")"),
        rot = 14,
        gp = gpar(col = warn_colour, alpha = 0.55, fontsize = 11, fontface = "bold", fontfamily = font_family)
      )
    )
  }
)

# The emulation mark for a faceted plot: a layer for the panels that draw emulated rows. rows: the rows drawn;
# facet: name of the facet column, or NULL.
emulated_mark <- function(rows, facet = NULL) {
  rows <- rows[startsWith(rows$source, "emulated:"), ]
  if (nrow(rows) == 0) return(NULL)
  panels <- if (is.null(facet)) rows[1, 0, drop = FALSE] else unique(rows[facet])
  panels$profile <- paste(emulated_profiles(rows$source), collapse = ", ")
  layer(
    geom = GeomEmulated, stat = "identity", position = "identity", data = panels,
    mapping = aes(profile = .data$profile), inherit.aes = FALSE, show.legend = FALSE
  )
}

# Subtitle of a figure with emulated watts; NULL if all rows are measured.
emulated_note <- function(source) {
  profiles <- emulated_profiles(source)
  if (!length(profiles)) return(NULL)
  paste0("EMULATED power (profile ", and_text(profiles), "): the output of a model, no evidence about watts or joules.")
}

# Why a run has no energy: the reason written in the tables, without its stock beginning.
power_reason <- function(runs) {
  rows <- runs[startsWith(runs$metric, "energy.") %in% TRUE & runs$source %in% "none" & !is.na(runs$reason), ]
  reasons <- unique(sub("^no power source:? *", "", rows$reason))
  if (!length(reasons)) "no reason recorded" else shorten(reasons[1])
}

# "Sources: measured:clock, measured:procfs."
source_text <- function(source) {
  paste0("Sources: ", paste(sort(unique(source[!is.na(source) & source != "none"])), collapse = ", "), ".")
}

# "64 million words per data set (paper: 4 billion), 1 and 2 ranks."
scale_text <- function(runs) {
  words <- sort(unique(stats::na.omit(runs$words)))
  ranks <- sort(unique(stats::na.omit(runs$ranks)))
  paper <- if (identical(words, 4e9)) "" else " (paper: 4\u00a0billion)"
  paste0(
    and_text(count_text(words)), " words", paper, ", ",
    and_text(ranks), if (identical(ranks, 1)) " rank." else " ranks."
  )
}

# The first clause of a reason; the tables and the report hold all of it.
shorten <- function(text, limit = 110) {
  text <- sub("; .*$", "", text)
  ifelse(nchar(text) > limit, paste0(substr(text, 1, limit - 1), "\u2026"), text)
}

# Runs that failed or ran out of time, with the first one's reason. Nothing if there are none.
failed_text <- function(runs) {
  said <- character()
  for (state in c("failed", "timeout")) {
    rows <- runs[runs$status %in% state, ]
    if (nrow(rows) == 0) next
    n <- nrow(unique(rows[c("point", "rep")]))
    words <- if (state == "failed") "failed" else "ran out of time"
    said <- c(said, paste0(n, if (n > 1) " runs " else " run ", words, " (", shorten(rows$reason[1]), ")."))
  }
  said
}

# What is missing and why: caps (or settings) not run, runs that failed. "" if nothing is.
missing_text <- function(runs) {
  said <- character()
  absent <- runs[runs$status %in% "not-run", ]
  for (reason in utils::head(unique(absent$reason), 2)) {
    rows <- absent[absent$reason %in% reason, ]
    tried <- unique(runs$cap_w[!runs$status %in% "not-run"])
    caps <- sort(setdiff(unique(rows$cap_w), tried), decreasing = TRUE)
    rest <- length(unique(rows$point[!rows$cap_w %in% caps]))
    what <- c(
      if (length(caps)) paste0(if (length(caps) > 1) "caps " else "cap ", and_text(caps), " W"),
      if (rest) paste(rest, if (rest > 1) "settings" else "setting")
    )
    said <- c(said, paste0("Not run: ", and_text(what), " (", shorten(reason), ")."))
  }
  paste(c(said, failed_text(runs)), collapse = " ")
}

# Caption from pieces, wrapped to the width of a canonical size.
caption <- function(size, ...) {
  text <- paste(Filter(nzchar, unlist(list(...))), collapse = " ")
  wrap_text(text, figure_sizes[[size]][["width"]] - 4, small_size)
}

subtitle <- function(size, text) {
  if (is.null(text)) NULL else wrap_text(text, figure_sizes[[size]][["width"]] - 4, base_size)
}

# "64 million words, 2 ranks": head of a column group.
scale_short <- function(runs) {
  paste0(and_text(count_text(sort(unique(runs$words)))), " words, ", and_text(ranks_text(sort(unique(runs$ranks)))))
}
