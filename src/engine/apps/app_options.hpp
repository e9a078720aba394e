#pragma once
// Command line of the mini-apps.

#include <optional>
#include <string>
#include <vector>

#include "ended.hpp"
#include "kvasir/options.hpp"
#include "kvasir/text_filter.hpp"

namespace kvasir::app {

/// What ends a key in a text.
enum class Separator { space, newline, nul };

/// Options of the command line.
struct AppOptions {
    Options job;
    std::vector<std::string> inputs;
    Separator separator = Separator::space;
    std::size_t record = 0;  ///< length of a key; 0: keys are separated
    TextFilter filter;
    bool decompress = true;
    std::string report;  ///< empty: none
    std::string events;
    std::string output;
    std::size_t top = 0;

    /// Returns the bytes after each line of output: keys may hold newlines where NULs separate them.
    char terminator() const { return separator == Separator::nul ? '\0' : '\n'; }
};

/// Result of parsing: options, or the end of the program.
struct Parsed : Ended {
    std::optional<AppOptions> options;
};

/// Parses the command line. `combiner`: the app has one, so that --combine means something.
Parsed parse(int argc, char** argv, const std::string& description, bool combiner);

}  // namespace kvasir::app
