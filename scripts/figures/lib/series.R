# Who looks like what, in all studies: frameworks, applications, settings of links, schedulers.

# Shapes 21 to 25 are filled: hollow ones are the paper's.
series_table <- utils::read.table(header = TRUE, sep = ",", strip.white = TRUE, comment.char = "",
  colClasses = c(shape = "numeric"), text = "
  id,              label,                  colour,  shape, linetype
  map-aggregate,   Map+Aggregate,          #E69F00, 17,    solid
  group-by-key,    GroupByKey,             #0072B2, 15,    solid
  reduce-by-key,   ReduceByKey,            #009E73, 16,    solid
  hadoop-gbe,      Hadoop-GbE,             #000000, 15,    solid
  hadoop-ipoib,    Hadoop-IPoIB,           #0072B2, 16,    longdash
  hadoop-uda,      Hadoop-UDA,             #D55E00, 17,    dashed
  rdma-hadoop,     RDMA-Hadoop,            #009E73, 18,    twodash
  homr,            HOMR,                   #E69F00, 25,    dotted
  engine-gbe,      Engine-GbE,             #CC79A7, 4,     dotdash
  engine-ipoib,    Engine-IPoIB,           #56B4E9, 3,     solid
  legacy,          legacy Ethernet,        #8C8C8C, 4,     dashed
  nopa,            standard EEE,           #D55E00, 21,    solid
  nopa-abort,      standard with abort,    #D55E00, 1,     22
  12us10,          12us10,                 #56B4E9, 24,    solid
  12us10+,         12us10+,                #0072B2, 24,    63
  120us100,        120us100,               #009E73, 22,    solid
  120us100+,       120us100+,              #00543D, 22,    63
  1ms1000,         1ms1000,                #CC79A7, 25,    solid
  10ms1000,        10ms1000,               #A37C00, 8,     solid
  adaptive,        adaptive,               #E69F00, 23,    solid
  ideal,           ideal,                  #000000, 3,     42
  quincy,          Quincy,                 #0072B2, 21,    solid
  fair,            fair,                   #E69F00, 24,    63
  fifo,            FIFO,                   #000000, 22,    22
  24,              24 nodes (1.2:1),       #0072B2, 21,    solid
  50,              50 nodes (2.5:1),       #E69F00, 24,    63
  80,              80 nodes (4:1),         #000000, 22,    22
  small,           small jobs,             #0072B2, 21,    solid
  batch,           batch job,              #000000, 24,    63
  balanced,        batch with even blocks, #D55E00, 25,    22
  newreno,         NewReno and drop-tail,  #000000, 22,    22
  dctcp,           DCTCP and ECN,          #0072B2, 21,    solid
")

# A setting of the core links only looks like its namesake on all links.
series_id <- function(id) sub("^core:", "", id)

look_of <- function(id, column, other) {
  found <- series_table[[column]][match(series_id(id), series_table$id)]
  ifelse(is.na(found), other, found)
}
label_of <- function(id) look_of(id, "label", series_id(id))
colour_of <- function(id) look_of(id, "colour", "#000000")

# Ids as a factor in the order of the table above; unknown ones behind.
series_factor <- function(id) {
  id <- series_id(id)
  known <- series_table$id[series_table$id %in% id]
  factor(id, c(known, sort(setdiff(unique(id), known))))
}

# Scales for colour, fill, shape and linetype mapped to a factor of series_factor(), with one legend for all of them.
series_scales <- function(levels, fine = FALSE) {
  look <- function(column, other) stats::setNames(look_of(levels, column, other), levels)
  rows <- ceiling(length(levels) / 6)
  weight <- weights(fine)
  keys <- guide_legend(nrow = rows, byrow = TRUE,
    override.aes = list(size = weight$key, alpha = 1, linewidth = weight$key_line))
  plain <- guide_legend(nrow = rows, byrow = TRUE)
  label <- unname(label_of(levels))
  list(
    scale_colour_manual(NULL, values = look("colour", "#000000"), labels = label, drop = FALSE, guide = keys),
    scale_fill_manual(NULL, values = look("colour", "#000000"), labels = label, drop = FALSE, guide = plain),
    scale_shape_manual(NULL, values = look("shape", 1), labels = label, drop = FALSE, guide = plain),
    scale_linetype_manual(NULL, values = look("linetype", "solid"), labels = label, drop = FALSE, guide = plain)
  )
}

disk_label <- c(hdd = "HDD", ssd = "SSD")
