# Who looks like what, in all studies. Colours: Okabe-Ito with amber instead of the pale yellow, which vanishes on
# white. A new framework, application or link setting is a new row here and nowhere else.

okabe_ito <- c(
  black = "#000000", orange = "#E69F00", sky = "#56B4E9", green = "#009E73",
  amber = "#F5C710", blue = "#0072B2", vermillion = "#D55E00", purple = "#CC79A7"
)

series_table <- utils::read.table(header = TRUE, sep = ",", strip.white = TRUE, text = "
  id,              label,                 colour,     shape, linetype
  map-aggregate,   Map+Aggregate,         orange,     17,    solid
  group-by-key,    GroupByKey,            blue,       15,    solid
  reduce-by-key,   ReduceByKey,           green,      16,    solid
  hadoop-gbe,      Hadoop-GbE,            black,      15,    solid
  hadoop-ipoib,    Hadoop-IPoIB,          blue,       16,    longdash
  hadoop-uda,      Hadoop-UDA,            vermillion, 17,    dashed
  rdma-hadoop,     RDMA-Hadoop,           green,      18,    twodash
  homr,            HOMR,                  orange,     25,    dotted
  rmr-nvm,         RMR-NVM,               orange,     8,     solid
  engine-gbe,      Engine-GbE,            purple,     4,     dotdash
  engine-ipoib,    Engine-IPoIB,          sky,        3,     solid
")
series_colour <- stats::setNames(unname(okabe_ito[series_table$colour]), series_table$id)
series_shape <- stats::setNames(series_table$shape, series_table$id)
series_linetype <- stats::setNames(series_table$linetype, series_table$id)
series_label <- stats::setNames(series_table$label, series_table$id)

# Label of a series; an id without a row keeps its own name.
label_of <- function(id) ifelse(id %in% names(series_label), series_label[id], id)
colour_of <- function(id) ifelse(id %in% names(series_colour), series_colour[id], "#000000")

# An ordered factor (power cap, send buffer) keeps the colour of its series and changes in lightness, line and shape:
# the level is then readable without colour, and the hue still names the application. First level: the colour itself.
level_linetype <- c("solid", "42", "11")
level_shape <- c(16, 15, 17)
level_filled <- c(21, 22, 24)
shade <- function(colour, level) {
  colour <- rep(colour, length.out = length(level))
  amount <- c(0, 0.38, 0.7)[pmin(level, 3)]
  rgb_of <- grDevices::col2rgb(colour) / 255
  dark <- rgb_of * rep(rep(1 - amount, length.out = ncol(rgb_of)), each = 3)
  grDevices::rgb(dark[1, ], dark[2, ], dark[3, ])
}

grey_text <- "#4D4D4D"
grey_line <- "#8C8C8C"
paper_colour <- "#000000"
warn_colour <- "#B03A00"
