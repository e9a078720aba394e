#pragma once
// Command line of the jobs on HDFS.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ended.hpp"
#include "kvasir/hdfs/connection.hpp"
#include "kvasir/options.hpp"
#include "kvasir/roles.hpp"

namespace kvasir::jobs {

enum class InputFormat { sequence, text };

/// Options of the command line.
struct JobOptions {
    std::string job;  ///< wordcount, sort, terasort, grep or pagerank
    hdfs::Address name_node;
    std::string user;
    std::string input;
    std::string output;
    std::string pattern;  ///< grep
    InputFormat format = InputFormat::sequence;
    int iterations = 1;  ///< pagerank
    int o_ranks = 0;     ///< 0: as many as there are processes
    int a_ranks = 0;
    Placement placement = Placement::shared;
    std::uint32_t replication = 0;  ///< of the output; 0: HDFS's own
    std::size_t block_size = 0;     ///< of the output; 0: HDFS's own
    std::size_t split = 0;          ///< most bytes of a split; 0: a block, smaller where there are few
    std::size_t samples = 30'000;   ///< terasort: keys looked at for the ranges
    std::string report;             ///< empty: none
    double launched = 0;            ///< when the launcher was started, seconds since 1970; 0: not known
    Options engine;

    bool iterates() const { return job == "pagerank"; }
};

/// Result of parsing: options, or how the program ends.
struct Parsed : app::Ended {
    std::optional<JobOptions> options;
};

Parsed parse(int argc, const char* const* argv);

}  // namespace kvasir::jobs
