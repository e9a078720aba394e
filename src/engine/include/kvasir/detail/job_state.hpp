#pragma once
// State that all parts of a running job share on one rank.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "kvasir/detail/router.hpp"
#include "kvasir/mpi.hpp"
#include "kvasir/options.hpp"
#include "kvasir/stats.hpp"

namespace kvasir::detail {

/// State of a job on one rank: communicators, clock, counters, failure.
struct JobState {
    JobState(MPI_Comm parent, const Options& chosen)
        : comm(parent),
          control(parent),
          options(chosen),
          router(comm.rank(), comm.size(), chosen.balance != Balance::hash && comm.size() > 1) {}

    /// Notes the exception that is being handled; the first one counts.
    void fail() {
        if (!cause.empty()) {
            return;
        }
        try {
            throw;
        } catch (const std::bad_alloc&) {
            cause = "out of memory (" + std::to_string(memory.current() / 1'000'000) +
                    " MB held in records); use more ranks or nodes, or a smaller input";
        } catch (const std::exception& error) {
            cause = error.what();
        } catch (...) {
            cause = "an exception that is no std::exception";
        }
        cause = cause.empty() ? "an exception without text" : cause;
    }
    bool failed() const { return !cause.empty(); }
    /// Returns whether to stop mapping: this rank or another one failed.
    bool stopped() const { return failed() || peer_failed; }

    /// Counts `records` records, `words` words long, that an exchange sends to `rank`.
    void count_sent(int rank, std::uint64_t records, std::size_t words) {
        counters.sent += records;
        counters.sent_bytes += words * sizeof(std::uint64_t);
        if (rank != comm.rank()) {
            counters.sent_elsewhere_bytes += words * sizeof(std::uint64_t);
        }
    }

    /// Logs that an exchange empties the block for `rank`, if events are logged.
    template <class Block>
    void log_exchange(int rank, const Block& block) {
        if (options.events) {
            events.push_back({counters.emitted, rank, block.records(), block.used() * sizeof(std::uint64_t),
                              block.capacity() * sizeof(std::uint64_t), Event::Kind::exchange});
        }
    }

    Communicator comm;     ///< exchanges
    Communicator control;  ///< requests for exchanges, and the end of the map
    const Options& options;
    MemoryMeter memory;
    PhaseClock clock;
    Counters counters;
    Router router;
    std::vector<Event> events;
    std::string cause;  ///< why this rank failed
    bool peer_failed = false;
};

}  // namespace kvasir::detail
