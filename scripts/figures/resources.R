# Resource graphs of one cell, as MREv makes them: for each benchmark of each framework the CPU, memory, disks,
# interfaces and power of every host and their mean while it ran. Not a figure of a paper, but one page per benchmark.

takes <- c(samples = "usage")

of <- function(rows, domain, metric) rows[rows$domain %in% domain & rows$metric %in% metric, ]

# One panel: hosts as thin lines, their mean as a thick one; colours tell metrics apart if there are several.
hosts_panel <- function(rows, title, axis_y, scale = 1, most = NA) {
  if (nrow(rows) == 0) return(NULL)
  rows$value <- rows$value / scale
  several <- length(unique(rows$metric)) > 1
  rows$colour <- if (several) rows$metric else "one"
  mean_rows <- rows[rows$host == "mean", ]
  ggplot(rows[rows$host != "mean", ], aes(.data$t_s, .data$value, colour = .data$colour)) +
    geom_line(aes(group = paste(.data$host, .data$metric)), linewidth = 0.2, alpha = 0.6) +
    geom_line(data = mean_rows, linewidth = 0.6) +
    scale_colour_manual(NULL, values = c(way_colour, one = "#1A1A1A"), guide = if (several) "legend" else "none") +
    scale_y_continuous(axis_y, limits = c(0, most), expand = expansion(c(0, 0.05))) +
    labs(x = NULL, title = title) +
    theme_kvasir()
}

# Where the wait is not known of a sample nothing of it is drawn but what is known: user and system.
states_panel <- function(rows) {
  rows <- of(rows[rows$host == "mean", ], "cpu", names(state_colour))
  if (nrow(rows) == 0) return(NULL)
  whole <- names(which(table(rows$t_s) == length(state_colour)))
  rows <- rows[as.character(rows$t_s) %in% whole, ]
  if (length(whole) < 2) return(NULL)
  rows$state <- factor(rows$metric, rev(names(state_colour)))
  ggplot(rows, aes(.data$t_s, 100 * .data$value, fill = .data$state)) +
    geom_area(linewidth = 0) +
    scale_fill_manual(NULL, values = state_colour, guide = guide_legend(reverse = TRUE)) +
    scale_y_continuous("% of the cores", expand = expansion(c(0, 0.02))) +
    labs(x = NULL, title = "CPU states, mean of all hosts") +
    theme_kvasir()
}

busy_panel <- function(rows) {
  rows <- of(rows, "cpu", c("user", "system"))
  if (nrow(rows) == 0) return(NULL)
  busy <- stats::aggregate(value ~ t_s + host, rows, sum)
  busy$metric <- rep("busy", nrow(busy))
  hosts_panel(busy, "CPU, user and system", "% of the cores", 1 / 100)
}

panels_of <- function(rows) {
  interfaces <- setdiff(sort(unique(grep("^net:", rows$domain, value = TRUE))), "net:lo")
  net <- lapply(interfaces, function(domain) {
    hosts_panel(of(rows, domain, c("received", "sent")), paste("Interface", sub("net:", "", domain)), "MB/s", 1e6)
  })
  Filter(Negate(is.null), c(
    list(
      states_panel(rows), busy_panel(rows),
      hosts_panel(of(rows, "load", "1min"), "Load, mean of a minute", "threads"),
      hosts_panel(of(rows, "memory", "used"), "Memory", "GB", 1e9),
      hosts_panel(of(rows, "disk", c("read", "written")), "Disk", "MB/s", 1e6),
      hosts_panel(of(rows, "disk", "utilisation"), "Disk utilisation", "%", 1 / 100)
    ),
    net,
    list(hosts_panel(of(rows, "power", "power"), "Power", "W"))
  ))
}

page <- function(rows) {
  panels <- panels_of(rows)
  if (!length(panels)) return(NULL)
  text <- paste0(
    rows$point[1], " on cell ", rows$cell[1], ", repetition ", rows$rep[1], ". Thin lines: each host; thick: their ",
    "mean. Time in s since the start of the run. ", source_text(rows$source)
  )
  plot <- wrap_plots(panels, ncol = 2) + plot_annotation(caption = caption("page", text), theme = theme_kvasir())
  list(plot = plot & theme(legend.position = "top"), size = "page")
}

# A page for each benchmark of each framework with samples enough to draw.
draw <- function(tables) {
  list(pages = Filter(Negate(is.null), lapply(split(tables$samples, tables$samples$point), page)))
}
