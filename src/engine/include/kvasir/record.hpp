// Records as bytes: how a key-value pair lies in send buffers, messages and partitions.
//
//   hash (8) | key length (4) | key | value
//
// A value of a trivially copyable type lies there as it is; a byte string has its length (4) before it.
// Nothing is aligned: records are read and written by memcpy.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "kvasir/error.hpp"
#include "kvasir/hash.hpp"

namespace kvasir {

/// A value type: std::string_view (any bytes) or a trivially copyable type.
template <class V>
concept Value = std::same_as<V, std::string_view> || std::is_trivially_copyable_v<V>;

/// How a value lies in a record. `Owned` is what a combiner returns.
template <Value V>
struct ValueCodec {
  using Owned = V;
  static constexpr bool kFixed = true;
  static std::size_t size(const V& /*value*/) { return sizeof(V); }
  static void write(char* to, const V& value) { std::memcpy(to, &value, sizeof(V)); }
  static V read(const char* from) { return detail::load<V>(from); }
  static std::size_t size_at(const char* /*from*/) { return sizeof(V); }
};

template <>
struct ValueCodec<std::string_view> {
  using Owned = std::string;
  static constexpr bool kFixed = false;
  static std::size_t size(std::string_view value) { return sizeof(std::uint32_t) + value.size(); }
  static void write(char* to, std::string_view value) {
    const auto length = static_cast<std::uint32_t>(value.size());
    std::memcpy(to, &length, sizeof(length));
    // An empty view may have no address at all.
    if (length != 0) std::memcpy(to + sizeof(length), value.data(), length);
  }
  static std::string_view read(const char* from) {
    return {from + sizeof(std::uint32_t), detail::load<std::uint32_t>(from)};
  }
  static std::size_t size_at(const char* from) {
    return sizeof(std::uint32_t) + detail::load<std::uint32_t>(from);
  }
};

/// One record seen in place.
template <Value V>
struct Record {
  static constexpr std::size_t kHeader = sizeof(std::uint64_t) + sizeof(std::uint32_t);

  const char* at;

  [[nodiscard]] std::uint64_t hash() const { return detail::load<std::uint64_t>(at); }
  [[nodiscard]] std::string_view key() const {
    return {at + kHeader, detail::load<std::uint32_t>(at + sizeof(std::uint64_t))};
  }
  [[nodiscard]] const char* value_at() const {
    return at + kHeader + detail::load<std::uint32_t>(at + sizeof(std::uint64_t));
  }
  [[nodiscard]] V value() const { return ValueCodec<V>::read(value_at()); }
  [[nodiscard]] std::size_t size() const {
    const char* value = value_at();
    return static_cast<std::size_t>(value - at) + ValueCodec<V>::size_at(value);
  }
  [[nodiscard]] bool same_key(std::uint64_t other_hash, std::string_view other) const {
    return hash() == other_hash && key() == other;
  }

  /// Bytes that a pair takes.
  static std::size_t size_of(std::string_view key, const V& value) {
    return kHeader + key.size() + ValueCodec<V>::size(value);
  }

  /// Write a pair at `to`, which has room for it.
  static void write(char* to, std::uint64_t hash, std::string_view key, const V& value) {
    const auto length = static_cast<std::uint32_t>(key.size());
    std::memcpy(to, &hash, sizeof(hash));
    std::memcpy(to + sizeof(hash), &length, sizeof(length));
    if (length != 0) std::memcpy(to + kHeader, key.data(), length);
    ValueCodec<V>::write(to + kHeader + length, value);
  }
};

/// Call `visit(Record<V>)` for every record in `bytes`, a whole number of records.
template <Value V, class Visit>
void for_each_record(std::string_view bytes, Visit&& visit) {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (at != end) {
    const Record<V> record{at};
    const std::size_t size = record.size();
    visit(record);
    at += size;
  }
}

/// Refuse what a record cannot hold (lengths are 32 bits).
inline void check_length(std::size_t size, const char* what, int rank) {
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(what, "is longer than 4 GiB - 1, the longest a record can hold", rank);
  }
}

}  // namespace kvasir
