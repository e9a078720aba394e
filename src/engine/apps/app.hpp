#pragma once
// Shared by the three mini-apps: command line, report, output and errors.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kvasir/any_input.hpp"
#include "kvasir/map_reduce.hpp"

namespace kvasir::app {

using Counts = Result<std::string_view, std::uint64_t>;

/// Outcome of a job on one rank.
struct Outcome {
    RankStats stats;
    std::optional<Counts> counts;  ///< none where the job ends before reduce
};

/// Mini-app. Words, the usual input, have a job of their own, as fast as can be.
struct App {
    std::string name;
    std::string description;
    bool combiner;
    bool counts;  ///< whether it has counts of words to write or print
    std::function<Outcome(MPI_Comm, const Text<WhiteSpace>&, const Options&)> run_words;
    std::function<Outcome(MPI_Comm, const AnyInput&, const Options&)> run_any;
};

/// Runs a mini-app; returns the exit code. One rank prints errors.
int run_app(int argc, char** argv, const App& app);

}  // namespace kvasir::app
