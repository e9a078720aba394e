#!/bin/sh
# All that the figures' scripts load, the font, and each format.
set -eu
folder=$(mktemp -d)
Rscript --vanilla -e 'library(ggplot2); library(patchwork); library(scales)' \
  -e "stopifnot(nrow(systemfonts::system_fonts()[systemfonts::system_fonts()\$family == 'Inter', ]) > 0)" \
  -e "ggsave('$folder/one.svg', qplot(1, 1), device = svglite::svglite)" \
  -e "ggsave('$folder/one.png', qplot(1, 1), device = ragg::agg_png)"
rsvg-convert -f pdf -o "$folder/one.pdf" "$folder/one.svg"
test -s "$folder/one.pdf" && test -s "$folder/one.png"
rm -r "$folder"
