#pragma once
// Command line of the mini-apps.

#include <optional>
#include <string>
#include <vector>

#include "kvasir/options.hpp"

namespace kvasir::app {

/// Options of the command line.
struct AppOptions {
    Options job;
    std::vector<std::string> inputs;
    std::string report;  ///< empty: none
    std::string events;
    std::string output;
    std::size_t top = 0;
};

/// Result of parsing: options, or a text to print and the exit code.
struct Parsed {
    std::optional<AppOptions> options;
    std::string text;
    int exit_code = 0;
};

/// Parses the command line. `combiner`: the app has one, so that --combine means something.
Parsed parse(int argc, char** argv, const std::string& description, bool combiner);

}  // namespace kvasir::app
