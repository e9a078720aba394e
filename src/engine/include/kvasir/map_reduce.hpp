#pragma once
// The engine in one call. Example, counting words on all ranks of a communicator:
//
//   auto counts = kvasir::map_reduce<std::string_view, std::uint64_t>(
//       MPI_COMM_WORLD, kvasir::words({"books"}),
//       [](auto word, auto& emit) { emit(word, 1); },
//       [](std::uint64_t a, std::uint64_t b) { return a + b; },
//       [](std::string_view, std::span<const std::uint64_t> ones) {
//           return std::accumulate(ones.begin(), ones.end(), std::uint64_t{0}); });
//   for (auto [word, count] : counts) ...
//
// Each rank gets the keys whose hash is its own. See callables.hpp for what map, combine and reduce look
// like, input.hpp for inputs, options.hpp for settings. All calls are collective. They throw Error (or
// JobError, which derives from it) on every rank if any rank fails.

#include <mpi.h>

#include <type_traits>
#include <utility>

#include "kvasir/callables.hpp"
#include "kvasir/detail/job.hpp"
#include "kvasir/error.hpp"
#include "kvasir/input.hpp"
#include "kvasir/options.hpp"
#include "kvasir/result.hpp"

namespace kvasir {

/// Maps the input, brings the values of equal keys together on one rank, reduces them. `combine` may be
/// no_combine.
template <class Key, class Value, class Input, class Map, class Combine, class Reduce>
Result<Key, Reduced<Reduce, Key, Value>> map_reduce(MPI_Comm comm, const Input& input, Map&& map,
                                                    Combine&& combine, Reduce&& reduce,
                                                    const Options& options = {}) {
    using Combiner = std::remove_cvref_t<Combine>;
    Combiner combiner(std::forward<Combine>(combine));
    detail::Job<Key, Value, Combiner> job(comm, combiner, options);
    Result<Key, Reduced<Reduce, Key, Value>> result;
    job.map_aggregate(input, map, true);
    job.convert_reduce(reduce, result);
    result.stats() = job.finish();
    return result;
}

/// Runs the first half only: maps the input and exchanges the records, which are then dropped.
template <class Key, class Value, class Input, class Map>
RankStats map_aggregate(MPI_Comm comm, const Input& input, Map&& map, const Options& options = {}) {
    NoCombine combiner;
    detail::Job<Key, Value, NoCombine> job(comm, combiner, options);
    job.map_aggregate(input, map, false);
    return job.finish();
}

}  // namespace kvasir
