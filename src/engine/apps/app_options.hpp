#pragma once
// Command line of the mini-apps.

#include <optional>
#include <string>
#include <vector>

#include "kvasir/options.hpp"

namespace kvasir::app {

/// Everything that can be said on a command line.
struct AppOptions {
    Options job;
    std::vector<std::string> inputs;
    std::string report;  ///< empty: none
    std::string events;
    std::string output;
    std::size_t top = 0;
};

/// What parsing came to: options, or a text to print and the code to exit with.
struct Parsed {
    std::optional<AppOptions> options;
    std::string text;
    int exit_code = 0;
};

/// Reads the command line. `combiner`: the app has one, so that --combine means something.
Parsed parse(int argc, char** argv, const std::string& description, bool combiner);

}  // namespace kvasir::app
