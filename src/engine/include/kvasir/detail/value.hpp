#pragma once
// Layout of a value in memory.
//   fixed-size type   its bytes, padded to whole 64-bit words
//   byte string       a word with its length (top bit set: the record is dead), then the bytes, padded

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "kvasir/detail/key.hpp"

namespace kvasir::detail {

inline constexpr std::uint64_t kDead = std::uint64_t{1} << 63U;

template <class Value>
struct ValueTraits {
    static_assert(
        std::is_trivially_copyable_v<Value> && alignof(Value) <= 8,
        "a value must be a byte string (std::string_view) or a trivially copyable type aligned to at "
        "most 8 bytes");
    static constexpr bool kFixed = true;
    static constexpr std::size_t kWords = (sizeof(Value) + 7) / 8;

    static std::size_t words_of(const Value& /*value*/) { return kWords; }
    static std::size_t words(const std::uint64_t* /*zone*/) { return kWords; }
    static void write(const Value& value, std::uint64_t* zone) {
        if constexpr (sizeof(Value) % 8 != 0) {
            zone[kWords - 1] = 0;
        }
        std::memcpy(zone, &value, sizeof(Value));
    }
    static Value read(const std::uint64_t* zone) {
        Value value;
        std::memcpy(&value, zone, sizeof(Value));
        return value;
    }
    static bool dead(const std::uint64_t* /*zone*/) { return false; }
};

template <>
struct ValueTraits<std::string_view> {
    static constexpr bool kFixed = false;

    static std::size_t words_of(std::string_view value) { return 1 + words_for(value.size()); }
    static std::size_t words(const std::uint64_t* zone) { return 1 + words_for(zone[0] & ~kDead); }
    static void write(std::string_view value, std::uint64_t* zone) {
        zone[0] = value.size();
        store_bytes(zone + 1, value.data(), value.size());
    }
    static std::string_view read(const std::uint64_t* zone) {
        return {reinterpret_cast<const char*>(zone + 1), static_cast<std::size_t>(zone[0] & ~kDead)};
    }
    static bool dead(const std::uint64_t* zone) { return (zone[0] & kDead) != 0; }
};

}  // namespace kvasir::detail
