#pragma once
// Hash of a key: 64 bits, computed once where the record is emitted and sent along with it. Multiply-and-fold
// as in wyhash. Bits in use: destination 32-63, radix partition 24-31, hash index 0-23.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kvasir::detail {

inline constexpr std::uint64_t kSalt0 = 0xa0761d6478bd642fULL;
inline constexpr std::uint64_t kSalt1 = 0xe7037ed1a0b428dbULL;
inline constexpr std::uint64_t kSalt2 = 0x8ebc6af09c88c6e3ULL;

__extension__ using Uint128 = unsigned __int128;

inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
    const Uint128 product = static_cast<Uint128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

/// Hash of two words: all there is of a short key.
inline std::uint64_t hash_words(std::uint64_t a, std::uint64_t b) {
    const Uint128 product = static_cast<Uint128>(a ^ kSalt1) * (b ^ kSalt0);
    return fold(static_cast<std::uint64_t>(product) ^ kSalt0,
                static_cast<std::uint64_t>(product >> 64U) ^ kSalt2);
}

/// Hash of a head word and `length` bytes that follow it.
inline std::uint64_t hash_bytes(std::uint64_t head, const char* data, std::size_t length) {
    std::uint64_t state = head;
    std::size_t at = 0;
    for (; at + 16 <= length; at += 16) {
        std::uint64_t pair[2];
        std::memcpy(pair, data + at, 16);
        state = fold(pair[0] ^ kSalt1, pair[1] ^ state);
    }
    std::uint64_t rest[2] = {0, 0};
    if (at < length) {
        std::memcpy(rest, data + at, length - at);
    }
    state = fold(rest[0] ^ kSalt1, rest[1] ^ state);
    return hash_words(state, head);
}

}  // namespace kvasir::detail
