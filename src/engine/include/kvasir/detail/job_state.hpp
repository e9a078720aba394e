#pragma once
// State that all parts of a running job share on one rank.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "kvasir/detail/router.hpp"
#include "kvasir/error.hpp"
#include "kvasir/memory.hpp"
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
          router(comm.rank(), comm.size(), chosen.balance != Balance::hash && comm.size() > 1) {
        memory.set_budget(chosen.memory);
    }

    /// Notes the exception that is being handled; the first one counts.
    void fail() {
        if (cause.empty()) {
            cause = text_of_exception();
        }
    }
    /// Returns the exception that is being handled as a text for the user.
    std::string text_of_exception() const {
        try {
            throw;
        } catch (const OutOfMemory& error) {
            return out_of_memory(megabytes(error.asked()) + " asked for in vain, ");
        } catch (const std::bad_alloc&) {
            return out_of_memory("");
        } catch (const std::exception& error) {
            return *error.what() == '\0' ? "an exception without text" : error.what();
        } catch (...) {
            return "an exception that is no std::exception";
        }
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

  private:
    std::string out_of_memory(const std::string& asked) const {
        return "out of memory: " + asked + megabytes(memory.current()) +
               " held in records; use more ranks or nodes, a smaller input, or --memory with --spill";
    }
};

}  // namespace kvasir::detail
