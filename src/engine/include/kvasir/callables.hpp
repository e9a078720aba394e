#pragma once
// What a job is made of besides its input: map, combine and reduce. They are templates, not pointers: the
// compiler sees through every call that happens once per record.
//   map(record, emit)        emit(key, value) any number of times; keys and values are copied at once
//   combine(a, b)            one value for two of the same key; must be associative and commutative. For
//   byte-string
//                            values anything that converts to std::string_view will do.
//   reduce(key, values)      values is a std::span<const Value>, in no particular order; returns the key's
//   result

#include <span>
#include <type_traits>

namespace kvasir {

/// Stands for "this job has no combiner".
struct NoCombine {
    template <class Value>
    const Value& operator()(const Value& first, const Value& /*second*/) const {
        return first;
    }
};

// NOLINTNEXTLINE(readability-identifier-naming): an argument that reads like the functions beside it
inline constexpr NoCombine no_combine{};

/// What reduce() returns for this job.
template <class Reduce, class Key, class Value>
using Reduced = std::decay_t<std::invoke_result_t<Reduce&, const Key&, std::span<const Value>>>;

}  // namespace kvasir
