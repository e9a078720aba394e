# Who looks like what: frameworks, applications, settings of links, schedulers. Labels and looks are those of the table
# of series that the workflow writes from the configuration; a series without a look is given one that no other has.

# The series of the study that is drawn: use_series() sets it.
series_table <- data.frame(id = character(), label = character(), colour = character(), shape = numeric(),
  linetype = character())

# What captions say of some of its series, by id.
series_notes <- character()

# So many different looks (up to some 200), the same each time, none with the colour and shape of one that is taken;
# first those of a colour that none has.
free_looks <- function(n, taken) {
  pick <- function(values) rep_len(values, 280)
  looks <- data.frame(
    colour = pick(unname(okabe_ito)), shape = pick(c(15, 17, 18, 4, 8, 3, 16)),
    linetype = pick(c("solid", "42", "63", "22", "dotdash"))
  )
  alike <- paste(looks$colour, looks$shape) %in% paste(taken$colour, taken$shape)
  free <- looks[!alike, ]
  free <- free[order(free$colour %in% taken$colour), ]
  free[rep_len(seq_len(nrow(free)), n), ]
}

# Takes over a table of series, with looks for those that have none.
use_series <- function(rows) {
  named <- rows$colour %in% names(okabe_ito)
  rows$colour[named] <- okabe_ito[rows$colour[named]]
  bare <- is.na(rows$colour) | is.na(rows$shape) | is.na(rows$linetype)
  free <- free_looks(sum(bare), rows[!bare, ])
  for (column in names(free)) {
    rows[[column]][bare] <- ifelse(is.na(rows[[column]][bare]), free[[column]], rows[[column]][bare])
  }
  series_table <<- rows[names(series_table)]
  noted <- rows[!is.na(rows$note), ]
  series_notes <<- stats::setNames(as.character(noted$note), noted$id)
}

# A setting of the core links only looks like its namesake on all links.
series_id <- function(id) sub("^core:", "", id)

# Label and look of each of some ids; those without a row behind the others, under their own names.
looks_of <- function(id) {
  id <- series_id(id)
  strange <- sort(setdiff(unique(id), series_table$id))
  known <- series_table
  if (length(strange)) known <- rbind(known, cbind(id = strange, label = strange, free_looks(length(strange), known)))
  known[match(id, known$id), ]
}
label_of <- function(id) looks_of(id)$label
colour_of <- function(id) looks_of(id)$colour

# Ids as a factor in the order of the table of series; those without a row behind.
series_factor <- function(id) {
  id <- series_id(id)
  known <- series_table$id[series_table$id %in% id]
  factor(id, c(known, sort(setdiff(unique(id), known))))
}

# Scales for colour, fill, shape and linetype mapped to a factor of series_factor(), with one legend for all of them.
series_scales <- function(levels, fine = FALSE) {
  looks <- looks_of(levels)
  values <- function(column) stats::setNames(looks[[column]], levels)
  rows <- ceiling(length(levels) / 6)
  weight <- weights(fine)
  keys <- guide_legend(nrow = rows, byrow = TRUE,
    override.aes = list(size = weight$key, alpha = 1, linewidth = weight$key_line))
  plain <- guide_legend(nrow = rows, byrow = TRUE)
  list(
    scale_colour_manual(NULL, values = values("colour"), labels = looks$label, drop = FALSE, guide = keys),
    scale_fill_manual(NULL, values = values("colour"), labels = looks$label, drop = FALSE, guide = plain),
    scale_shape_manual(NULL, values = values("shape"), labels = looks$label, drop = FALSE, guide = plain),
    scale_linetype_manual(NULL, values = values("linetype"), labels = looks$label, drop = FALSE, guide = plain)
  )
}

disk_label <- c(hdd = "HDD", ssd = "SSD")
# The same with the class that study nvm has besides.
all_disks <- c(hdd = "HDD", sata = "SATA SSD", ssd = "SSD")
