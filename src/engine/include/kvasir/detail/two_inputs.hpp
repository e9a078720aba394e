#pragma once
// Two inputs of one job: their records one after the other, and values that say which side they are of.

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kvasir/clock.hpp"
#include "kvasir/mpi.hpp"
#include "kvasir/options.hpp"
#include "kvasir/stats.hpp"

namespace kvasir::detail {

/// A record of the left or of the right input.
template <class Record, bool kOfRight>
struct SideRecord {
    static constexpr bool kRight = kOfRight;
    const Record& record;
};

/// Input of all records of `left` and then all of `right`, as SideRecord.
template <class Left, class Right>
struct TwoInputs {
    const Left& left;
    const Right& right;

    template <class LeftReader, class RightReader>
    struct Reader {
        LeftReader left;
        RightReader right;
        bool left_ended = false;

        template <class Sink>
        bool next(PhaseClock& clock, Counters& counters, Sink&& sink) {
            if (!left_ended) {
                left_ended = !left.next(clock, counters, side<false>(sink));
                return true;
            }
            return right.next(clock, counters, side<true>(sink));
        }

      private:
        template <bool kOfRight, class Sink>
        static auto side(Sink& sink) {
            return [&sink](const auto& record) {
                sink(SideRecord<std::remove_cvref_t<decltype(record)>, kOfRight>{record});
            };
        }
    };

    auto open(const Communicator& comm, const Options& options) const {
        using LeftReader = decltype(left.open(comm, options));
        using RightReader = decltype(right.open(comm, options));
        return Reader<LeftReader, RightReader>{left.open(comm, options), right.open(comm, options)};
    }
};

/// Writes a byte that tells the side, and the value, to `to`.
template <class Value>
void pack_side(bool right, const Value& value, std::string& to) {
    to.assign(1, static_cast<char>(right));
    if constexpr (std::is_same_v<Value, std::string_view>) {
        to += value;
    } else {
        static_assert(std::is_trivially_copyable_v<Value>, "values are sent as their bytes");
        to.append(reinterpret_cast<const char*>(&value), sizeof(Value));
    }
}

inline bool is_right(std::string_view packed) { return packed[0] != 0; }

template <class Value>
Value unpack_side(std::string_view packed) {
    if constexpr (std::is_same_v<Value, std::string_view>) {
        return packed.substr(1);
    } else {
        Value value;
        std::memcpy(&value, packed.data() + 1, sizeof(Value));
        return value;
    }
}

}  // namespace kvasir::detail
