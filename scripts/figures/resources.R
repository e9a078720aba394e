# Resource graphs of one cell, as MREv makes them: for each benchmark of each framework the CPU, memory, disks,
# interfaces and power of every host and their mean while it ran. Not a figure of a paper, but one page per benchmark.

takes <- c(samples = "usage")

states_title <- function(sharing) {
  if (sharing > 1) return("CPU states, all hosts together, % of the machine")
  "CPU states, mean of all hosts, % of the cores"
}

# What each panel of hosts shows: rows of a domain, metrics of it, and how many of the table's units one of the axis is.
panels_of <- function(rows, sharing) {
  interfaces <- setdiff(sort(unique(grep("^net:", rows$domain, value = TRUE))), "net:lo")
  panel <- function(title, domain, metrics, per = 1) list(title = title, domain = domain, metrics = metrics, per = per)
  c(
    list(
      panel(paste("CPU, user and system, % of the", if (sharing > 1) "machine" else "cores"), "cpu", "busy", 1 / 100),
      panel("Load, mean of a minute, threads", "load", "1min"),
      panel("Memory, GB", "memory", "used", 1e9),
      panel("Disk, MB/s", "disk", c("read", "written"), 1e6),
      panel("Disk utilisation, %", "disk", "utilisation", 1 / 100)
    ),
    lapply(interfaces, function(domain) {
      panel(paste0("Interface ", sub("net:", "", domain), ", MB/s"), domain, c("received", "sent"), 1e6)
    }),
    list(panel("Power, W", "power", "power"))
  )
}

# The rows of all panels, each with its panel. A host is busy for user and system together.
panel_rows <- function(rows, sharing) {
  cpu <- rows[rows$domain == "cpu" & rows$metric %in% c("user", "system"), ]
  if (nrow(cpu)) {
    busy <- stats::aggregate(value ~ t_s + host, cpu, sum)
    busy[c("domain", "metric", "source")] <- list("cpu", "busy", cpu$source[1])
    rows <- rbind(rows[names(busy)], busy)
  }
  do.call(rbind, lapply(panels_of(rows, sharing), function(panel) {
    mine <- rows[rows$domain == panel$domain & rows$metric %in% panel$metrics, ]
    data.frame(mine[c("t_s", "host", "metric", "source")], value = mine$value / panel$per,
      panel = rep(panel$title, nrow(mine)))
  }))
}

# Where the wait is not known of a sample nothing of it is drawn but what is known: user and system. Hosts that share
# the processors of one machine are idle where all of them together are.
state_rows <- function(rows, sharing) {
  rows <- rows[rows$host == "mean" & rows$domain == "cpu" & rows$metric %in% names(state_colour), ]
  whole <- names(which(table(rows$t_s) == length(state_colour)))
  rows <- rows[as.character(rows$t_s) %in% whole, ]
  if (length(whole) < 2) return(NULL)
  rows <- of_machine(rows, sharing)
  data.frame(t_s = rows$t_s, value = 100 * rows$value, state = factor(rows$metric, rev(names(state_colour))),
    panel = states_title(sharing))
}

# Hosts as thin lines, their mean as a thick one; colours tell what comes from what goes.
page <- function(rows) {
  sharing <- rows$sharing[1]
  hosts <- panel_rows(rows, sharing)
  states <- state_rows(rows, sharing)
  if (!nrow(hosts) && is.null(states)) return(NULL)
  order <- c(if (!is.null(states)) states_title(sharing), unique(hosts$panel))
  hosts$panel <- factor(hosts$panel, order)
  hosts$colour <- ifelse(hosts$metric %in% names(way_colour), hosts$metric, "one")
  ways <- intersect(names(way_colour), hosts$colour)
  text <- paste0(
    rows$point[1], " on cell ", rows$cell[1], ", repetition ", rows$rep[1], ". Thin lines: each host; thick: their ",
    "mean. ", if (sharing > 1) "The hosts share the processors of one machine. ", source_text(rows$source)
  )
  emulated <- if (any(startsWith(rows$links, "emulated:"))) emulated_hosts
  note <- paste(c(emulated, emulated_note(rows$source)), collapse = " ")
  plot <- ggplot(hosts, aes(.data$t_s, .data$value)) +
    emulated_mark(hosts, "panel") +
    (if (!is.null(states)) {
      states$panel <- factor(states$panel, order)
      geom_area(aes(fill = .data$state), states, linewidth = 0)
    }) +
    geom_line(aes(colour = .data$colour, group = paste(.data$host, .data$metric)), hosts[hosts$host != "mean", ],
      linewidth = 0.2, alpha = 0.6) +
    geom_line(aes(colour = .data$colour), hosts[hosts$host == "mean", ], linewidth = 0.6) +
    facet_wrap(vars(.data$panel), ncol = 2, scales = "free_y", drop = FALSE) +
    scale_fill_manual(NULL, values = state_colour, guide = guide_legend(reverse = TRUE, order = 1)) +
    scale_colour_manual(NULL, values = c(way_colour, one = "#1A1A1A"), breaks = ways, guide = guide_legend(order = 2)) +
    scale_y_continuous(NULL, limits = c(0, NA), expand = expansion(c(0, 0.05))) +
    labs(x = "time since the start of the run, s", caption = caption("page", text),
      subtitle = if (nzchar(note)) subtitle("page", note)) +
    theme_kvasir() +
    theme(strip.text = element_text(face = "bold"), legend.key.width = unit(5, "mm"))
  list(plot = plot, size = "page")
}

# A page for each benchmark of each framework with samples enough to draw.
draw <- function(tables) {
  list(pages = Filter(Negate(is.null), lapply(split(tables$samples, tables$samples$point), page)))
}
