# The one theme. Text is 7 to 7.5 points at the final size, as figures are included as they are and never rescaled.

font_family <- "Inter"
font_package <- "fonts-inter"
base_size <- 7.5
small_size <- 7

# Small text where the panels of a study leave no room for more: mimir has nine on a page.
small_sizes <- c(mimir = 6.4)

# The PDF embeds this font, so a silent substitute would change every figure.
need_font <- function() {
  found <- systemfonts::font_info(font_family)$family[1]
  if (!identical(found, font_family)) {
    fail("font '", font_family, "' is not installed (found '", found, "'); install the Debian package ", font_package)
  }
}

theme_kvasir <- function() {
  thin <- 0.25
  theme_minimal(base_size = base_size, base_family = font_family) +
    theme(
      text = element_text(colour = "#1A1A1A"),
      axis.text = element_text(size = small_size, colour = grey_text),
      axis.title = element_text(size = base_size),
      axis.line.x = element_line(linewidth = thin, colour = grey_text),
      axis.ticks = element_line(linewidth = thin, colour = grey_text),
      axis.ticks.length = unit(0.8, "mm"),
      panel.grid.major = element_line(linewidth = 0.2, colour = "#E6E6E6"),
      panel.grid.minor = element_blank(),
      panel.spacing = unit(3, "mm"),
      strip.text = element_text(size = base_size, hjust = 0, margin = margin(0, 0, 1.5, 0)),
      strip.background = element_blank(),
      legend.position = "top",
      legend.justification = "left",
      legend.margin = margin(0, 0, 0, 0),
      legend.box.margin = margin(0, 0, -2, 0),
      legend.key.height = unit(3, "mm"),
      legend.key.width = unit(8, "mm"),
      legend.title = element_text(size = base_size),
      legend.text = element_text(size = base_size),
      plot.title = element_text(size = base_size, face = "bold", hjust = 0),
      plot.title.position = "plot",
      plot.subtitle = element_text(size = base_size, colour = warn_colour, hjust = 0, lineheight = 1.05),
      plot.caption = element_text(size = small_size, colour = grey_text, hjust = 0, lineheight = 1.1),
      plot.caption.position = "plot",
      plot.margin = margin(1, 2, 1, 1, "mm")
    )
}

# The same without axes: words alone.
theme_bare <- function() {
  theme_kvasir() + theme(axis.text = element_blank(), axis.title = element_blank(), axis.ticks = element_blank(),
    axis.line.x = element_blank(), panel.grid.major = element_blank())
}

# Weights of marks: the width that the columns of a place share, its ticks, points and keys; fine ones where many
# columns stand side by side.
weights <- function(fine) {
  if (fine) return(list(width = 0.78, tick = 0.5, point = 0.9, stroke = 0.25, key = 1.6, key_line = 0.45))
  list(width = 0.8, tick = 0.6, point = 1.1, stroke = 0.5, key = 1.8, key_line = 0.5)
}

# Text layers take millimetres: points -> mm.
pt <- function(points) points / ggplot2::.pt
