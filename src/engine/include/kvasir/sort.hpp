#pragma once
// Sort by key over all ranks. Example, words in order:
//
//   auto sorted = kvasir::sort_by_key(MPI_COMM_WORLD, kvasir::words({"books"}),
//                                           [](auto word, auto& emit) { emit(word, ""); });
//   sorted.for_each([](std::string_view word, std::string_view) { ... });     // rank 0 has the smallest

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "kvasir/bipartite.hpp"
#include "kvasir/detail/ranges.hpp"
#include "kvasir/detail/staged_records.hpp"

namespace kvasir {

/// Records of one rank in order: by key, then by value, byte by byte. Every record of a rank comes before
/// those of the next one. Made by sort_by_key(); stays where it is made.
class SortedRange {
  public:
    /// See sort_by_key().
    template <class Input, class Map>
    SortedRange(MPI_Comm comm, const Input& input, Map&& map, const Options& options, std::size_t samples)
        : world_(comm), state_(world_, options), records_(state_) {
        detail::StagedRecords staged(state_.memory(), samples);
        state_.let_spill(staged);
        stage(input, map, staged, options);
        const detail::Ranges ranges = detail::agree_on_ranges(world_, staged.sample());
        exchange(staged, ranges);
        spilled_ = staged.spilled();
        state_.together([&] {
            PhaseScope phase(state_.clock(), Phase::convert);
            records_.sort();
        });
    }
    SortedRange(const SortedRange&) = delete;
    SortedRange& operator=(const SortedRange&) = delete;

    std::uint64_t size() const { return records_.size(); }
    /// Calls visit(key, value) for every record of this rank in order; any number of times. The views live
    /// during the call only. Throws Error.
    template <class Visit>
    void for_each(Visit&& visit) {
        records_.for_each(visit);
    }
    /// Returns what the budget of memory had no room for.
    Spilled spilled() const {
        Spilled all = spilled_;
        return all += records_.spilled();
    }

  private:
    template <class Input, class Map>
    void stage(const Input& input, Map& map, detail::StagedRecords& staged, const Options& options) {
        auto reader = input.open(world_, options);
        const auto emit = [&](std::string_view key, std::string_view value) { staged.add(key, value); };
        state_.together([&] {
            while (reader.next(state_.clock(), state_.counters(),
                               [&](const auto& record) { map(record, emit); })) {
            }
        });
    }

    void exchange(detail::StagedRecords& staged, const detail::Ranges& ranges) {
        PhaseScope phase(state_.clock(), Phase::aggregate);
        std::optional<PackedExchange<SortedRecords>> exchange;
        state_.together([&] { exchange.emplace(state_, records_); });
        try {
            staged.drain(
                [&](std::string_view key, std::string_view value) {
                    exchange->send(ranges.part_of(key, value), key, value);
                },
                [&] {
                    exchange->poll();
                    return !state_.stopped();
                });
        } catch (...) {
            state_.fail();
        }
        exchange->finish();
    }

    Communicator world_;
    BipartiteState state_;
    SortedRecords records_;
    Spilled spilled_;  ///< before the exchange
};

/// Sorts what map(record, emit) emits, emit(key, value) with byte strings, by key and then by value. Which
/// rank gets which range follows from about `samples` records of each rank, so that ranks get about equally
/// many, also of one key with many values. Of `options`, input, slice, chunk, send_buffer, in_flight, memory
/// and spill are used. All records are held in memory, or what `memory` has no room for in a file in `spill`.
/// Collective; throws Error on every rank if any fails.
template <class Input, class Map>
SortedRange sort_by_key(MPI_Comm comm, const Input& input, Map&& map, const Options& options = {},
                        std::size_t samples = 1000) {
    return SortedRange(comm, input, map, options, samples);
}

}  // namespace kvasir
