#pragma once
// Records of the sort benchmarks: length and key, and the checksum that tells whether some were lost.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace kvasir::app {

inline constexpr std::size_t kRecordBytes = 100;  ///< of gensort
inline constexpr std::size_t kKeyBytes = 10;

/// Returns the contribution of one record to the checksum of a file: the sum of these modulo 2^64, which does
/// not depend on the order.
inline std::uint64_t record_checksum(std::string_view record) {
    std::uint64_t state = 0x9e3779b97f4a7c15ULL ^ record.size();
    const auto mix = [&state](std::uint64_t word) {
        state = (state ^ word) * 0xbf58476d1ce4e5b9ULL;
        state ^= state >> 29U;
    };
    std::size_t at = 0;
    for (; at + 8 <= record.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, record.data() + at, 8);
        mix(word);
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, record.data() + at, record.size() - at);
    mix(rest);
    mix(0);
    return state;
}

}  // namespace kvasir::app
