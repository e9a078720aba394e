// One 64-bit hash of a key, computed once and sent along with the record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace kvasir {

/// The two halves of a 64 x 64 bit product, folded: the mixing step of the hash.
inline std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

namespace detail {

template <class T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

inline constexpr std::uint64_t kMix0 = 0x9e3779b97f4a7c15U;
inline constexpr std::uint64_t kMix1 = 0xc2b2ae3d27d4eb4fU;
inline constexpr std::uint64_t kMix2 = 0xd6e8feb86659fd93U;

}  // namespace detail

/// Hash of a byte string of any length. All 64 bits are good: high bits choose rank and partition, low bits a slot.
inline std::uint64_t hash_bytes(std::string_view key) {
  using detail::load;
  const char* p = key.data();
  std::size_t n = key.size();
  std::uint64_t state = detail::kMix0 ^ n;
  while (n > 16) {
    state = fold_product(load<std::uint64_t>(p) ^ detail::kMix1, load<std::uint64_t>(p + 8) ^ state);
    p += 16;
    n -= 16;
  }
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  if (n >= 8) {
    a = load<std::uint64_t>(p);
    b = load<std::uint64_t>(p + n - 8);
  } else if (n >= 4) {
    a = load<std::uint32_t>(p);
    b = load<std::uint32_t>(p + n - 4);
  } else if (n > 0) {
    a = static_cast<unsigned char>(p[0]);
    b = (static_cast<std::uint64_t>(static_cast<unsigned char>(p[n / 2])) << 8U) |
        static_cast<unsigned char>(p[n - 1]);
  }
  return fold_product(fold_product(a ^ detail::kMix1, b ^ state) ^ detail::kMix2, detail::kMix0 ^ n);
}

/// Checksum of a set of (key, count) pairs that does not depend on their order: add these up, modulo 2^52.
inline std::uint64_t pair_checksum(std::uint64_t key_hash, std::uint64_t count) {
  return fold_product(key_hash ^ detail::kMix2, count ^ detail::kMix1) & ((std::uint64_t{1} << 52U) - 1);
}

/// The modulus of sums of pair_checksum.
inline constexpr std::uint64_t kChecksumMask = (std::uint64_t{1} << 52U) - 1;

}  // namespace kvasir
