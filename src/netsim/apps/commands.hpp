#pragma once
/// Subcommands of the program.

#include <CLI/CLI.hpp>

#include "netsim/report.hpp"

namespace netsim::app {

void add_link(CLI::App& app);
void add_shuffle(CLI::App& app);
void add_run(CLI::App& app);
void add_config(CLI::App& app);

/// Prints the metrics to the standard output, one a line.
void print(const Report& report);

}  // namespace netsim::app
