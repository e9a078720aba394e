#pragma once
// WordCount as a job of Mimir. Its own headers are included by the source alone: they have names as log.h and
// memory.h.

#include <mpi.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kvasir/stats.hpp"

namespace kvasir::mimir {

/// What of WordCount is run.
enum class Stage { map_aggregate, count };

/// Job to run.
struct Job {
    Stage stage = Stage::count;
    bool combine = false;  ///< combine before and after the exchange: Mimir's combiner does both
    std::uint64_t send_buffer = 64'000'000;
    std::vector<std::string> inputs;
};

/// Outcome of a job on one rank.
struct Outcome {
    RankStats stats;        ///< times, memory and counters that Mimir has as well
    double exchanging = 0;  ///< s in MPI_Alltoall and MPI_Alltoallv, Mimir's own timers
    std::vector<std::pair<std::string, std::uint64_t>>
        counts;  ///< this rank's words; empty for map_aggregate
};

/// Runs `job`. Collective. Throws Error where Mimir cannot run it; Mimir itself aborts the MPI job on its
/// errors.
Outcome run(MPI_Comm comm, const Job& job);

}  // namespace kvasir::mimir
