#pragma once
// Callables of a job: map, combine and reduce. They are template parameters, not pointers: the compiler
// inlines every call that happens once per record.
//   map(record, emit)     emit(key, value) any number of times; keys and values are copied at once
//   combine(a, b)         one value for two of the same key; must be associative and commutative. Values that
//                         are byte strings: anything that converts to std::string_view.
//   reduce(key, values)   the result of the key; values is a std::span<const Value>, in no particular order,
//                         or Values<Value> (values.hpp) where there may be more than memory has room for

#include <span>
#include <type_traits>

namespace kvasir {

/// Placeholder of jobs without a combiner.
struct NoCombine {
    template <class Value>
    const Value& operator()(const Value& first, const Value& /*second*/) const {
        return first;
    }
};

// NOLINTNEXTLINE(readability-identifier-naming): an argument that reads like the functions beside it
inline constexpr NoCombine no_combine{};

/// Type that reduce() returns for this job.
template <class Reduce, class Key, class Value>
using Reduced = std::decay_t<std::invoke_result_t<Reduce&, const Key&, std::span<const Value>>>;

}  // namespace kvasir
