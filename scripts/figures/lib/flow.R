# Schematics: boxes, arrows between them, words beside them. All in mm.

# Colours of what a schematic's boxes are: steps of a task, disks, memory and networks.
box_fill <- c(task = "#DCE9F2", disk = "#F3E3C3", fast = "#DDF0E6")

# One box by its middle, and one arrow.
flow_box <- function(x, y, text, kind, width = 30) {
  data.frame(x = x, y = y, text = text, fill = box_fill[[kind]], width = width, height = 8)
}
flow_arrow <- function(x, y, xend, yend) data.frame(x = x, y = y, xend = xend, yend = yend)

# words: x, y, text, set to the left; xlim, ylim: ranges.
flow_plot <- function(boxes, arrows, words, xlim, ylim) {
  text <- aes(.data$x, .data$y, label = .data$text)
  ggplot() +
    geom_tile(aes(.data$x, .data$y, width = .data$width, height = .data$height, fill = .data$fill), boxes,
      colour = grey_text, linewidth = 0.3) +
    geom_segment(aes(.data$x, .data$y, xend = .data$xend, yend = .data$yend), arrows, linewidth = 0.3,
      colour = grey_text, arrow = grid::arrow(length = unit(1.2, "mm"), type = "closed")) +
    geom_text(text, boxes, size = pt(small_size), family = font_family, lineheight = 1) +
    geom_text(text, words, size = pt(small_size), family = font_family, hjust = 0) +
    scale_fill_identity() +
    coord_cartesian(xlim = xlim, ylim = ylim, expand = FALSE) +
    theme_bare()
}
