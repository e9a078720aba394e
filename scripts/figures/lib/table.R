# A typeset table as a figure: three rules, no vertical lines, numbers set to the right.

# rows: data frame of text; header: one name per column (may hold line breaks); x: position of each column, mm from the
# left edge; right: which columns are set to the right; groups: data frame from, to, text for a spanning header line.
typeset_table <- function(rows, header, x, right, groups, strong = integer(), width = 172) {
  line <- 4.2
  n <- nrow(rows)
  hjust <- ifelse(right, 1, 0)
  cell <- data.frame(
    x = rep(x, each = n), y = -line * rep(seq_len(n), times = length(x)), text = unlist(rows),
    hjust = rep(hjust, each = n), face = ifelse(rep(seq_len(n) %in% strong, times = length(x)), "bold", "plain")
  )
  head <- data.frame(x = x, y = 0, text = header, hjust = hjust)
  rules <- data.frame(y = c(line * 2.5, -line * 0.4, -line * (n + 0.55)), weight = c(0.6, 0.35, 0.6))
  write <- function(data, mapping, ...) {
    geom_text(mapping, data, size = pt(base_size), family = font_family, lineheight = 1, ...)
  }
  ggplot() +
    write(cell, aes(.data$x, .data$y, label = .data$text, hjust = .data$hjust, fontface = .data$face)) +
    write(head, aes(.data$x, .data$y, label = .data$text, hjust = .data$hjust), vjust = 0) +
    write(groups, aes((.data$from + .data$to) / 2, line * 1.85, label = .data$text), fontface = "bold") +
    geom_segment(aes(x = .data$from, xend = .data$to, y = line * 1.4, yend = line * 1.4), groups, linewidth = 0.25) +
    geom_segment(aes(x = 0, xend = width, y = .data$y, yend = .data$y, linewidth = .data$weight), rules) +
    scale_linewidth_identity() +
    scale_x_continuous(limits = c(0, width), expand = expansion()) +
    scale_y_continuous(expand = expansion(add = c(0.5, 0.5))) +
    theme_bare()
}

# The table as a whole figure, as high as its rows and the lines of its caption. ...: pieces of the caption; note: first
# line in the warning colour, see run_note().
table_figure <- function(rows, header, x, right, groups, ..., lines = 3, strong = integer(), note = NULL,
                         height = 4.2 * (nrow(rows) + 3) + 3.1 * lines + 6 + if (is.null(note)) 0 else 5) {
  size <- c(width = 178, height = height)
  plot <- typeset_table(as.data.frame(rows), header, x, right, groups, strong)
  list(plot = plot + labs(caption = caption(size, ...), subtitle = subtitle(size, note)), size = size)
}

# Cells of the tables of clusters and frameworks.

# Rate of the link of the frameworks on Gigabit Ethernet, or of the others.
rate_cell <- function(runs, gbe) {
  rates <- metric_rows(runs, "link.rate")
  found <- sort(unique(rates$value[endsWith(rates$framework, "-gbe") == gbe]))
  if (!length(found)) return("as the site has it")
  paste0(and_text(count_text(found)), " Mbit/s", if (hosts_emulated(runs)) " (emulated)")
}

# How many runs of a framework ended well.
runs_cell <- function(runs, id, what = "runs") {
  rows <- unique(runs[runs$framework %in% id & runs$status %in% "ok", c("point", "rep")])
  if (nrow(rows)) paste(nrow(rows), what) else "not run"
}

list_cell <- function(x) if (length(x)) and_text(x) else "none run"

# Numbers with commas, other values as they are; several as a list.
value_text <- function(values) {
  number <- suppressWarnings(as.numeric(values))
  and_text(ifelse(is.na(number), values, vapply(number, format, "", big.mark = ",", trim = TRUE)))
}

# One row of a table of parameters: what a key has at each of the shown scales, \u2013 where it is not known.
scale_cells <- function(parameters, key, unit = "", show = value_text) {
  vapply(shown_scales(parameters), function(scale) {
    values <- parameter(parameters, key, scale)
    if (length(values)) paste0(show(values), unit) else "\u2013"
  }, "", USE.NAMES = FALSE)
}

scale_header <- function(parameters) sub("^paper$", "paper scale", shown_scales(parameters))

# Right edges of the columns of the shown scales, the last at the edge of the table.
scale_columns <- function(parameters, gap, room) {
  n <- length(shown_scales(parameters))
  172 - min(gap, room / n) * (n - seq_len(n))
}
