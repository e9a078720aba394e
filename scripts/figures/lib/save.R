# One way to a file. A figure is laid out once: SVG and PNG draw the same layout, and the PDF is the SVG converted, so
# that all show the same glyphs at the same places, the PDF with the font embedded (R's own cairo_pdf rounds glyph
# positions, which spoils small text). No dates: bytes repeat. All three files appear together or not at all.

# Canonical sizes, mm: widths are one and two columns of a two-column journal page.
figure_sizes <- list(
  column = c(width = 86, height = 64),
  wide = c(width = 178, height = 86),
  tall = c(width = 178, height = 118),
  page = c(width = 178, height = 182),
  table = c(width = 178, height = 62)
)

svg_fallback <- paste0("font-family: \"", font_family, "\", \"Helvetica Neue\", Arial, sans-serif;")

# Width and height of a name of figure_sizes, or of a size that a figure has worked out itself.
size_mm <- function(size) {
  mm <- if (is.character(size)) figure_sizes[[size]] else size
  if (is.null(mm)) fail("unknown figure size '", size, "'")
  mm
}

# Another figure's process may make it at the same moment, so that what counts is that it is there.
make_folder <- function(folder) {
  dir.create(folder, recursive = TRUE, showWarnings = FALSE)
  if (!dir.exists(folder)) fail("cannot create the folder ", folder)
}

# Deletes what a killed process left of this figure.
delete_leftovers <- function(stem) {
  mine <- paste0("^\\.", basename(stem), "\\.[0-9]+\\.(svg|pdf|png)$")
  unlink(list.files(dirname(stem), mine, all.files = TRUE, full.names = TRUE))
}

# plot: a ggplot or patchwork; stem: path without extension; size: as size_mm() takes it.
save_figure <- function(plot, stem, size) {
  need_font()
  mm <- size_mm(size)
  folder <- dirname(stem)
  make_folder(folder)
  if (file.access(folder, 2) != 0) fail("cannot write into ", folder)
  delete_leftovers(stem)
  part <- file.path(folder, paste0(".", basename(stem), ".", Sys.getpid()))
  made <- stats::setNames(paste0(part, c(".svg", ".pdf", ".png")), c("svg", "pdf", "png"))
  on.exit(unlink(made))
  layout <- write_svg(plot, made[["svg"]], mm)
  write_pdf(made[["svg"]], made[["pdf"]])
  write_png(layout, made[["png"]], mm)
  if (any(is.na(file.size(made)) | file.size(made) == 0)) fail("could not write all of ", stem, ".{svg,pdf,png}")
  if (!all(file.rename(made, paste0(stem, ".", names(made))))) fail("could not write ", stem, ".{svg,pdf,png}")
}

draw_layout <- function(layout) {
  grid.newpage()
  grid.draw(layout)
}

# Returns the layout, which has this device's measures of the text.
write_svg <- function(plot, path, mm) {
  svglite::svglite(path, mm[["width"]] / 25.4, mm[["height"]] / 25.4)
  tryCatch({
    layout <- if (inherits(plot, "patchwork")) patchworkGrob(plot) else ggplotGrob(plot)
    draw_layout(layout)
  }, finally = grDevices::dev.off())
  text <- readLines(path, encoding = "UTF-8")
  plain <- paste0("font-family: \"", font_family, "\";")
  writeLines(enc2utf8(gsub(plain, svg_fallback, text, fixed = TRUE)), path, useBytes = TRUE)
  layout
}

write_png <- function(layout, path, mm) {
  ragg::agg_png(path, mm[["width"]], mm[["height"]], units = "mm", res = 300)
  on.exit(grDevices::dev.off())
  draw_layout(layout)
}

write_pdf <- function(svg, path) {
  tool <- Sys.which("rsvg-convert")
  if (tool == "") fail("rsvg-convert is not installed; install the Debian package librsvg2-bin")
  status <- system2(tool, c("-f", "pdf", "-o", shQuote(path), shQuote(svg)), env = "SOURCE_DATE_EPOCH=946684800")
  if (status != 0) fail("rsvg-convert ended with status ", status)
}
