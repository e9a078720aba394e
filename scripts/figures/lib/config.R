# A file of the configuration: numbers without the _ that R's reader leaves in them.
read_config <- function(here, ...) {
  path <- file.path(here, "..", "..", "..", "config", ...)
  if (!file.exists(path)) fail(path, ": no such file")
  clean <- function(x) {
    if (is.list(x)) return(lapply(x, clean))
    if (is.character(x) && all(grepl("^[0-9]+(_[0-9]{3})+$", x))) return(as.numeric(gsub("_", "", x)))
    x
  }
  clean(yaml::read_yaml(path))
}

# One value of each scale, as text; what: function of the scale's `cells` entry and of the whole file.
scale_values <- function(here, what) {
  vapply(c("smoke", "laptop", "paper"), function(name) {
    scale <- read_config(here, "scales", paste0(name, ".yaml"))
    value <- what(scale$cells, scale)
    if (is.null(value)) "\u2013" else paste(format(value, big.mark = ",", trim = TRUE), collapse = ", ")
  }, "")
}
