# Fig. 1: the states of one 10GbE port with Energy Efficient Ethernet and its queue, from a short simulated run.

states <- c("active", "going to sleep (Ts)", "low power idle", "waking (Tw)")
looks <- stats::setNames(c("#0072B2", "#E69F00", "#BFBFBF", "#CC79A7"), states)

# Spans of a metric that changes at given times: from, to, value; the last one ends at `end`.
spans <- function(rows, end) {
  if (nrow(rows) == 0) return(data.frame())
  rows <- rows[order(rows$t_s), ]
  data.frame(from = rows$t_s, to = c(rows$t_s[-1], end), value = rows$value)[c(diff(c(rows$t_s, end)) > 0), ]
}

takes <- c(timeline = "link", timeline.trace = "states")

draw <- function(tables) {
  trace <- tables$timeline.trace
  trace <- trace[trace$rep == min(trace$rep, Inf) & trace$point == utils::head(trace$point, 1), ]
  trace$t_s <- 1e6 * trace$t_s
  end <- max(trace$t_s, 0)
  state <- spans(trace[trace$metric == "state", ], end)
  queue <- spans(trace[trace$metric == "queue", ], end)
  if (nrow(state) == 0) return(simulation_figure(list(), tables$timeline, trace, "wide"))
  state$state <- factor(states[state$value + 1], states)
  state$power <- ifelse(state$value == 2, 0.1, 1)
  time <- scale_x_continuous(limits = c(0, end), expand = expansion(c(0, 0.01)), breaks = scales::breaks_pretty(8))
  upper <- ggplot(state) +
    geom_rect(aes(xmin = .data$from, xmax = .data$to, ymin = 0, ymax = .data$power, fill = .data$state)) +
    scale_fill_manual(NULL, values = looks, drop = FALSE) +
    scale_y_continuous("power / active", breaks = c(0, 0.1, 1), expand = expansion(c(0, 0.05))) +
    time + labs(x = NULL, title = "a\u2002state and power of the port") + theme_kvasir()
  lower <- ggplot(queue) +
    geom_rect(aes(xmin = .data$from, xmax = .data$to, ymin = 0, ymax = .data$value), fill = "#4D4D4D") +
    scale_y_continuous("frames", breaks = scales::breaks_width(1), limits = c(0, max(1, queue$value)),
      expand = expansion(c(0, 0.05))) +
    time + labs(x = "time, \u00b5s", title = "b\u2002frames that wait or are being sent") + theme_kvasir()
  span_of <- function(value) {
    whole <- state[state$value == value & state$to < end, ]
    if (nrow(whole)) format(stats::median(whole$to - whole$from), digits = 3) else "\u2013"
  }
  link <- unique(trace$setting)
  simulation_figure(list(upper, lower), tables$timeline, trace, "wide", ncol = 1, heights = c(1.4, 1),
    paste0("A simulated 10GBASE-T link, ", label_of(link[1]), ", Poisson arrivals of 1,500-byte frames; ",
      "drawn from the run's own record of states."),
    paste0("Going to sleep takes ", span_of(1), " \u00b5s and waking ", span_of(3), " \u00b5s"),
    "(Table I: 2.88 and 4.48).",
    "The 10 % of power in low power idle have the refresh signals of the paper's figure in them.")
}
