#pragma once
/// Description of a job: kind, size, input blocks and arrival time.

#include <cstdint>
#include <vector>

#include "netsim/mapreduce/config.hpp"
#include "netsim/time.hpp"

namespace netsim::mapreduce {

enum class Kind { TeraSort, Search, Index };

/// Returns the name of a kind as the configuration spells it.
const char* name_of(Kind kind);

struct JobSpec {
    int id = 0;
    Kind kind = Kind::TeraSort;
    Time ready = 0;  ///< when it may be scheduled
    int reduces = 1;
    std::uint64_t block_bytes = 0;
    std::uint64_t map_output_bytes = 0;      ///< of one map, for all reduces
    std::vector<std::vector<int>> replicas;  ///< nodes with a copy of each block; one map per block

    int maps() const { return static_cast<int>(replicas.size()); }
    std::uint64_t input_bytes() const { return block_bytes * replicas.size(); }
    std::uint64_t shuffle_bytes() const { return map_output_bytes * replicas.size(); }
    /// Returns the bytes that one map has for reduce `reduce`; the reduces together get every byte once.
    std::uint64_t part_bytes(int reduce) const {
        const auto parts = static_cast<std::uint64_t>(reduces);
        return map_output_bytes / parts +
               (static_cast<std::uint64_t>(reduce) < map_output_bytes % parts ? 1 : 0);
    }
};

/// Racks of the hosts. Host 0 is name node and job tracker, all others are workers.
struct Racks {
    std::vector<int> of;  ///< rack of each host
    int hosts() const { return static_cast<int>(of.size()); }
    int workers() const { return hosts() - 1; }
    int count() const;
};

/// Returns `replicas` different workers for a block whose first copy lies on `first`: the second in another
/// rack, the third in the rack of the second (Hadoop's default policy), the others anywhere. Where a rack has
/// no node left any other is taken. `draw` gives a number below its argument.
template <class Draw>
std::vector<int> replica_nodes(const Racks& racks, int first, int replicas, Draw&& draw) {
    std::vector<int> chosen{first};
    const auto pick = [&](auto&& wanted) {
        std::vector<int> free;
        for (int pass = 0; pass < 2 && free.empty(); ++pass) {
            for (int node = 1; node < racks.hosts(); ++node) {
                bool used = false;
                for (const int other : chosen) {
                    used = used || other == node;
                }
                if (!used && (pass == 1 || wanted(racks.of[static_cast<std::size_t>(node)]))) {
                    free.push_back(node);
                }
            }
        }
        if (!free.empty()) {
            chosen.push_back(free[draw(free.size())]);
        }
    };
    const auto rack_of = [&](std::size_t i) { return racks.of[static_cast<std::size_t>(chosen[i])]; };
    for (int copy = 1; copy < replicas; ++copy) {
        pick([&](int rack) {
            return copy == 1                        ? rack != rack_of(0)
                   : copy == 2 && chosen.size() > 1 ? rack == rack_of(1)
                                                    : true;
        });
    }
    return chosen;
}

/// Returns the jobs with the maps, reduces and bytes of a block that 0 stands for, and with the number of
/// jobs that come within a window, on so many workers.
JobsConfig in_effect(const Config& config, int workers);

/// Returns the jobs of a run, in the order in which they become ready; the first is ready at 0.
std::vector<JobSpec> make_jobs(const Config& config, const Racks& racks, std::uint64_t seed);

/// Returns the CPU time that a job needs, core seconds, with the mean of the noise.
double cpu_demand(const Config& config, const JobSpec& job);

}  // namespace netsim::mapreduce
