# Fig. 14: energy-delay product over the CPU load, TeraSort jobs, coalescing on 10GbE only.

takes <- c(load = "netsim")

draw <- function(tables) {
  runs <- shallow_only(tables$load)
  total <- product_of(runs, "energy.total", "makespan", "edp")
  average <- product_of(runs, "energy.total", "runtime.mean", "edp.average")
  at_ten <- geom_vline(xintercept = 10, linewidth = 0.25, linetype = "22")
  panels <- list(
    load_panel(total, "a\u2002energy \u00d7 total runtime", relative = TRUE, more = at_ten),
    load_panel(average, "b\u2002energy \u00d7 average runtime", relative = TRUE, more = at_ten)
  )
  simulation_figure(panels, runs, total, "wide", seeds_text(total),
    "TeraSort jobs, shallow buffers, coalescing on 10GbE only (1GbE: standard EEE). All values over the",
    "median of standard",
    "EEE. Dashed: 10 %, above which the paper prefers 1ms1000 and below which 120us100.")
}
