#pragma once
/// The subcommands of the program.

#include <CLI/CLI.hpp>

namespace netsim::app {

void add_link(CLI::App& app);
void add_shuffle(CLI::App& app);
void add_run(CLI::App& app);

}  // namespace netsim::app
