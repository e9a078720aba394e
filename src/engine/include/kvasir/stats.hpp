#pragma once
// Statistics of one rank: counters and times.

#include <cstdint>
#include <string>
#include <vector>

#include "kvasir/clock.hpp"
#include "kvasir/memory.hpp"

namespace kvasir {

/// Counters of one rank. Bytes are those of whole records (hash, key and value), the form in which they
/// travel.
struct Counters {
    std::uint64_t input_bytes = 0;
    std::uint64_t input_chunks = 0;     ///< pieces of input this rank took
    std::uint64_t emitted = 0;          ///< records out of map
    std::uint64_t combined_before = 0;  ///< records that went up in an equal one before the exchange
    std::uint64_t combine_tries = 0;    ///< records for which an equal one was looked for
    std::uint64_t sent = 0;             ///< records given to the exchange
    std::uint64_t sent_bytes = 0;
    std::uint64_t sent_elsewhere_bytes = 0;  ///< of these, to other ranks
    std::uint64_t received = 0;
    std::uint64_t received_bytes = 0;
    std::uint64_t held = 0;            ///< records after repartition, when convert begins
    std::uint64_t combined_after = 0;  ///< records that went up in an equal one after the exchange
    std::uint64_t moved = 0;           ///< records that repartition or the merging of split keys sent on
    std::uint64_t split_keys = 0;      ///< keys whose records went to all ranks
    std::uint64_t rounds = 0;          ///< exchanges, or blocks to the rank that got most (by_fill)
    std::uint64_t rounds_during_map = 0;
    std::uint64_t alltoallv = 0;  ///< calls of MPI_Alltoallv
    std::uint64_t barriers = 0;   ///< synchronisations of all ranks from the first map to the last reduce
    std::uint64_t oversize = 0;   ///< records longer than a partition
    std::uint64_t keys = 0;       ///< distinct keys that reduce saw
    std::uint64_t values = 0;     ///< values that reduce saw
};

/// Line of the event log: a change of one partition of a rank's send buffer.
struct Event {
    enum class Kind { put, combine, exchange };
    std::uint64_t word_index;  ///< records emitted before on this rank
    int partition;
    std::uint64_t records;  ///< in the partition: after a put or combine, before an exchange empties it
    std::uint64_t bytes;
    std::uint64_t capacity_bytes;
    Kind kind;
};

/// Bytes that a budget of memory had no room for.
struct Spilled {
    std::uint64_t record_bytes = 0;
    std::uint64_t file_bytes = 0;  ///< the same in the file, compressed

    Spilled& operator+=(const Spilled& other) {
        record_bytes += other.record_bytes;
        file_bytes += other.file_bytes;
        return *this;
    }
};

/// Statistics of one rank when a job has ended.
struct RankStats {
    Counters counters;
    PhaseClock clock;
    std::uint64_t kv_bytes_peak = 0;
    Spilled spilled;
    std::uint64_t resident_peak = 0;  ///< bytes of memory the process had at most
    std::uint64_t disk_read = 0;      ///< bytes the process had to fetch from a disk
    std::uint64_t disk_written = 0;   ///< bytes it caused to be written to one
    double start = 0;                 ///< monotonic clock, s: after the barrier at the start
    double mapped = 0;                ///< after the synchronisation between the two halves
    double end = 0;                   ///< after the last reduce
    double cpu_start = 0;             ///< CPU time of the process, s, at `start`
    double cpu_end = 0;
    std::vector<Event> events;
};

/// Returns the CPU time of this process in user and system mode, s.
double process_cpu_seconds();

/// Fills in memory and disk usage of this process, from the operating system.
void ask_system(RankStats& stats);

}  // namespace kvasir
