#pragma once
// Join of two inputs by key.

#include <mpi.h>

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kvasir/detail/two_inputs.hpp"
#include "kvasir/map_reduce.hpp"

namespace kvasir {

/// Joins two inputs: calls pair(key, left, right) for every pair of a left and a right value of the same key,
/// on the rank that the key belongs to, and returns what it returned on this rank, in no particular order.
/// Keys that one side lacks are left out (inner join).
///   map_left(record, emit)    emit(key, value) with a value of type Left, any number of times
///   map_right(record, emit)   the same with values of type Right
/// Left and Right are std::string_view, or trivially copyable. pair() must copy what it keeps of byte
/// strings. All values of one key are held by one rank. Collective; throws Error on every rank if any fails.
template <class Key, class Left, class Right, class LeftInput, class LeftMap, class RightInput,
          class RightMap, class Pair>
auto join(MPI_Comm comm, const LeftInput& left, LeftMap&& map_left, const RightInput& right,
          RightMap&& map_right, Pair&& pair, const Options& options = {}) {
    using Joined = std::decay_t<std::invoke_result_t<Pair&, const Key&, const Left&, const Right&>>;
    std::string buffer;  // of the value that is being emitted
    const auto map = [&](const auto& record, auto& emit) {
        constexpr bool from_right = std::remove_cvref_t<decltype(record)>::kRight;
        const auto emit_value = [&](const Key& key, const auto& value) {
            using Value = std::conditional_t<from_right, Right, Left>;
            detail::pack_side<Value>(from_right, value, buffer);
            emit(key, std::string_view(buffer));
        };
        if constexpr (from_right) {
            map_right(record.record, emit_value);
        } else {
            map_left(record.record, emit_value);
        }
    };
    std::vector<Joined> joined;
    std::vector<Left> lefts;  // of one key
    std::vector<Right> rights;
    const auto reduce = [&](const Key& key, std::span<const std::string_view> values) {
        lefts.clear();
        rights.clear();
        for (const std::string_view value : values) {
            if (detail::is_right(value)) {
                rights.push_back(detail::unpack_side<Right>(value));
            } else {
                lefts.push_back(detail::unpack_side<Left>(value));
            }
        }
        for (const Left& one : lefts) {
            for (const Right& other : rights) {
                joined.push_back(pair(key, one, other));
            }
        }
    };
    map_reduce<Key, std::string_view>(comm, detail::TwoInputs<LeftInput, RightInput>{left, right}, map,
                                      no_combine, reduce, options);
    return joined;
}

}  // namespace kvasir
