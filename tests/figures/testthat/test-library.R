# Pure parts of the figure library, against values worked out by hand.
figures <- normalizePath(file.path("..", "..", "..", "scripts", "figures"))
source(file.path(figures, "lib", "cli.R"), encoding = "UTF-8")
attach(load_library(file.path(figures, "lib")), name = "library")
attach(source_figure(file.path(figures, "mimir", "fig04.R"), as.environment("library")), name = "fig04")

test_that("few runs give their range, many the order-statistics interval of the median", {
  expect_equal(interval(c(3, 1, 2)), data.frame(median = 2, low = 1, high = 3, n = 3L))
  expect_equal(interval(7), data.frame(median = 7, low = 7, high = 7, n = 1L))
  # n = 10: the 2nd and the 9th value (binomial 2.5 % quantile of 10 trials is 2), coverage 97.9 %
  expect_equal(interval(10:1), data.frame(median = 5.5, low = 2, high = 9, n = 10L))
  # n = 6: the whole range, coverage 96.9 %
  expect_equal(interval(1:6)[c("low", "high")], data.frame(low = 1L, high = 6L))
  expect_match(interval_text(3), "min to max")
  expect_match(interval_text(9), "95 % interval")
})

test_that("Eq. 1 gives the rates of Table 1 with 72 processes", {
  expect_equal(combinability(4e9, 72, 72), 0.9999987, tolerance = 1e-7)
  expect_equal(round(combinability(4e9, 1111104, 72), 3), 0.98)
  expect_equal(round(combinability(4e9, 49999968, 72), 3), 0.10)
})

test_that("counts are readable", {
  expect_equal(count_text(c(41, 2880, 64e6, 4e9, 27777744)),
    c("41", "2,880", "64\u00a0million", "4\u00a0billion", "27,777,744"))
  expect_equal(and_text(c(140, 120)), "140 and 120")
  expect_equal(data_unique("4B5.6M"), "5.6M")
})

test_that("wrapped text keeps its words and its width", {
  text <- paste(rep("several words of a caption", 20), collapse = " ")
  wrapped <- wrap_text(text, 60, 7)
  expect_equal(gsub("\n", " ", wrapped), text)
  wide <- systemfonts::string_width(strsplit(wrapped, "\n")[[1]], family = font_family, size = 7, res = 72)
  expect_true(all(wide <= 60 / 25.4 * 72))
})

test_that("labels that would collide move apart and keep order and middle", {
  moved <- spread_labels(c(1.0, 1.1, 5), 1)
  expect_true(all(diff(moved) >= 1 - 1e-6))
  expect_equal(mean(moved[1:2]), 1.05)
  expect_equal(spread_labels(3, 1), 3)
})

test_that("a long curve keeps its extremes and loses samples", {
  curve <- data.frame(t_s = seq(0, 100, length.out = 20000), value = sin(1:20000))
  curve$value[7777] <- 50
  thin <- thin_curve(curve)
  expect_lte(nrow(thin), most_samples)
  expect_equal(range(thin$value), range(curve$value))
  expect_false(is.unsorted(thin$t_s))
  expect_equal(thin_curve(utils::head(curve, 10)), utils::head(curve, 10))
})

test_that("a curve of few samples is not drawn", {
  rows <- data.frame(
    point = rep(c("long", "short"), c(least_samples, least_samples - 1)), rep = 1, domain = "ranks", metric = "cpu",
    sample_ms = 100, host = "a", value = 1
  )
  rows$t_s <- seq_len(nrow(rows)) / 10
  rows$panel <- rows$point
  view <- trace_view(rows)
  expect_equal(unique(view$rows$point), "long")
  expect_equal(view$short, "short")
})

test_that("runs whose ranks shared processors are told of", {
  runs <- data.frame(
    status = "ok", metric = rep(c("attempts", "cpu.share.min"), each = 3), value = c(1, 2, 3, 0.98, 0.85, 0.5)
  )
  said <- placement_text(runs)
  expect_match(said, "2 runs were made again", fixed = TRUE)
  expect_match(said, "In 1 of 3 runs a rank had no processor for more than 20 % of its time", fixed = TRUE)
  expect_equal(placement_text(runs[runs$value == 1, ]), "")
})

test_that("send buffers in proportion to the words give one range a label", {
  runs <- data.frame(buffer_mb = c(32, 32, 64), buffer_bytes = c(2^20, 8 * 2^20, 2^21))
  said <- "32 and 64 MB in the paper, 1 MiB to 8 MiB and 2 MiB here, in proportion"
  expect_match(buffer_note(runs), said, fixed = TRUE)
})

test_that("hosts of one run add up, sample by sample", {
  rows <- data.frame(
    point = "p", rep = 1, domain = "package", sample_ms = 100,
    t_s = c(0.100, 0.200, 0.103, 0.198), host = c("a", "a", "b", "b"), value = c(10, 20, 1, 2)
  )
  expect_equal(sum_hosts(rows)$value, c(11, 22))
  one <- rows[rows$host == "a", ]
  expect_equal(sum_hosts(one)$value, c(10, 20))
})

test_that("fine samples are averaged over 100 ms, first repetition only", {
  rows <- data.frame(
    point = "p", rep = rep(1:2, each = 4), curve = rep(c("p 1", "p 2"), each = 4), sample_ms = 5,
    t_s = c(0.05, 0.10, 0.15, 0.17), value = c(1, 3, 10, 20)
  )
  smooth <- smooth_fine(rows)
  expect_equal(smooth$value, c(2, 15))
  expect_equal(smooth$t_s, c(0.10, 0.17))
  rows$sample_ms <- 100
  expect_equal(nrow(smooth_fine(rows)), 0)
})

test_that("an exchange empties the partition, before or behind its word", {
  log <- data.frame(
    case = "used", rank = 0, partition = 0, word_index = c(1, 2, 3, 3), bytes = c(16, 32, 32, 16),
    capacity_bytes = 32, event = c("put", "put", "exchange", "put")
  )
  placed <- place_events(log)
  expect_equal(placed$x, c(1, 2, 2.55, 3))
  steps <- fill_steps(placed)
  expect_equal(steps$y[steps$x > 2.9], c(0, 50, 50))
  expect_equal(max(steps$y), 100)
})

test_that("levels of one factor get darker and stay of one hue", {
  expect_equal(shade("#009E73", 1), "#009E73")
  light <- colSums(grDevices::col2rgb(shade("#009E73", 1:3)))
  expect_true(all(diff(light) < 0))
})

test_that("series without a look get one that no other has, the same in all figures", {
  rows <- data.frame(id = c("a", "b", "c"), label = c("A", "B", "C"), colour = c("black", NA, NA),
    shape = c(15, NA, 3), linetype = c("solid", NA, NA))
  use_series(rows)
  looks <- looks_of(c("c", "stranger", "a", "b"))
  expect_equal(looks$label, c("C", "stranger", "A", "B"))
  expect_equal(looks$colour[3], "#000000")
  expect_equal(looks$shape[1], 3)
  expect_equal(anyDuplicated(looks[c("colour", "shape")]), 0)
  expect_false(anyNA(looks))
  expect_equal(looks_of("b")$colour, looks$colour[4])
  many <- looks_of(paste("series", 1:60))
  expect_equal(anyDuplicated(many[c("colour", "shape", "linetype")]), 0)
  expect_equal(levels(series_factor(c("z", "core:b", "a", "y"))), c("a", "b", "y", "z"))
  use_series(rows[0, ])
  expect_equal(label_of("a"), "a")
})

test_that("notes are those of frameworks that ran", {
  rows <- data.frame(id = c("a", "b", "c"), label = c("A", "B", "C"), colour = "black", shape = 1:3,
    linetype = "solid", note = c("made anew", "made anew", NA))
  use_series(rows)
  runs <- data.frame(framework = c("a", "b", "c"), status = c("ok", "ok", "ok"), reason = NA, disk = "ssd")
  expect_equal(missing_text(runs), "A and B: made anew.")
  runs$status[2:3] <- "not-run"
  runs$reason[2:3] <- "b: none"
  expect_equal(missing_text(runs), "A: made anew. Not run: B and C (none).")
  use_series(rows[0, ])
  expect_equal(missing_text(runs[1, ]), "")
})

test_that("caps that never ran are told from settings that are missing", {
  runs <- data.frame(
    status = c("ok", "not-run", "not-run"), reason = c(NA, "no cap", "no cap"), cap_w = c(215, 140, 120),
    point = c("a", "b", "c"), rep = 1
  )
  expect_equal(missing_text(runs), "Not run: caps 140 and 120 W (no cap).")
  runs$cap_w <- 215
  expect_equal(missing_text(runs), "Not run: 2 settings (no cap).")
})

test_that("a table of counters is read, large values and all", {
  path <- tempfile(fileext = ".csv")
  writeLines(c(
    "point,rep,framework,nodes,disk,benchmark,job,job_name,kind,counter_group,counter,value",
    "a,1,hadoop-ipoib,3,ssd,terasort,job_1,TeraSort,reduce,TaskCounter,REDUCE_SHUFFLE_BYTES,4503599627370497"
  ), path)
  rows <- read_table(path, "counters")
  expect_equal(rows$value, 2^52 + 1, tolerance = 0)
  expect_equal(rows$counter, "REDUCE_SHUFFLE_BYTES")
})

test_that("a moment at which a host has no sample is no dip", {
  rows <- expand.grid(t_s = 1:6 + 0.49, host = paste0("n", 1:4), stringsAsFactors = FALSE)
  # One host is sampled a little later than the others, in the next second.
  rows$t_s <- rows$t_s + 0.02 * (rows$host == "n4")
  rows <- cbind(rows, point = "p", rep = 1, domain = "ranks", sample_ms = 1000, value = 0.2)
  expect_equal(sum_hosts(rows)$value, rep(0.8, 5))
  # A late tick: two samples of a host in one second are their mean.
  again <- rbind(rows, transform(rows[3, ], value = 0.4))
  expect_equal(sum_hosts(again)$value, c(0.8, 0.9, 0.8, 0.8, 0.8))
})

test_that("hosts that share processors leave idle what all of them leave", {
  states <- c(user = 0.4, system = 0.1, wait = 0.1, idle = 0.4)
  rows <- data.frame(t_s = 1, domain = "cpu", metric = names(states), value = unname(states))
  expect_equal(of_machine(rows, 2)$value, c(0.8, 0.2, 0, 0))
  expect_equal(of_machine(rows, 1), rows)
  rows$value <- c(0.2, 0.1, 0.1, 0.6)
  expect_equal(of_machine(rows, 2)$value, c(0.4, 0.2, 0.2, 0.2))
})

test_that("runtimes of data sets with other numbers of words are per word", {
  runs <- data.frame(status = "ok", metric = "runtime", value = c(3, 3), words = c(2e9, 1e9))
  expect_equal(runtime_rows(runs)$value, c(1.5, 3))
  expect_true(all(runtime_rows(runs)$per_words))
  expect_equal(runtime_rows(runs[1, ])$value, 3)
  runs <- data.frame(words = c(2e9, 1e9, 1e9), letter = factor(c("a", "b", "b")), ranks = 2)
  expect_match(scale_text(runs), "Words: 2\u00a0billion in a and 1\u00a0billion in b (paper", fixed = TRUE)
})

test_that("all failed runs are counted", {
  runs <- data.frame(point = letters[1:7], rep = 1, status = "failed", reason = c("x", "x", "y", "z", "z", "w", "v"))
  said <- paste(failed_text(runs), collapse = " ")
  expect_equal(sum(as.integer(regmatches(said, gregexpr("[0-9]+(?= runs? failed)", said, perl = TRUE))[[1]])), 7)
})
