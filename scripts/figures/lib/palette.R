# Colours of everything that is no series, and the levels of one factor within a series. Okabe-Ito with amber instead of
# the pale yellow, which vanishes on white.

okabe_ito <- c(
  black = "#000000", orange = "#E69F00", sky = "#56B4E9", green = "#009E73",
  amber = "#F5C710", blue = "#0072B2", vermillion = "#D55E00", purple = "#CC79A7"
)

# What a processor does, and the two ways of a disk or an interface.
state_colour <- c(user = okabe_ito[["blue"]], system = okabe_ito[["orange"]], wait = okabe_ito[["vermillion"]],
  idle = "#E6E6E6")
way_colour <- c(read = okabe_ito[["blue"]], written = okabe_ito[["vermillion"]], received = okabe_ito[["blue"]],
  sent = okabe_ito[["vermillion"]])

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
