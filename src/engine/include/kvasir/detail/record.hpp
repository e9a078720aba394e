#pragma once
// Layout of a record: hash of the key, key, value; all whole 64-bit words. It is the same in send buffers, on
// the wire and in the containers of the receiver, so that nothing is ever packed or unpacked.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kvasir/detail/key.hpp"
#include "kvasir/detail/value.hpp"

namespace kvasir::detail {

/// Prefetches what lies behind a record that is one of many read in order. The processor does not look ahead
/// by itself: where the next record begins follows from the length of this one.
inline void prefetch_behind(const std::uint64_t* record) {
    constexpr std::size_t words = 192;  // more than the time of a read from memory
    __builtin_prefetch(record + words);
}

template <class Key, class Value>
struct RecordTraits {
    using K = KeyTraits<Key>;
    using V = ValueTraits<Value>;

    static std::size_t words_of(const KeyCode& key, const Value& value) {
        return 1 + key.words + V::words_of(value);
    }
    static void write(const KeyCode& key, const Value& value, std::uint64_t* to) {
        to[0] = key.hash;
        K::write(key, to + 1);
        V::write(value, to + 1 + key.words);
    }
    static std::uint64_t hash(const std::uint64_t* record) { return record[0]; }
    static const std::uint64_t* key_zone(const std::uint64_t* record) { return record + 1; }
    static std::size_t value_offset(const std::uint64_t* record) { return 1 + K::words(record + 1); }
    static std::size_t words(const std::uint64_t* record) {
        const std::size_t offset = value_offset(record);
        return offset + V::words(record + offset);
    }
    /// Whether two records have the same key.
    static bool same_key(const std::uint64_t* one, const std::uint64_t* other) {
        return hash(one) == hash(other) && same_key(one, other, value_offset(one));
    }
    /// The same of two whose hashes were compared; `at_value` is where the value of the first is. No branch
    /// on a key of one word or two: that would be mispredicted with every other word of a text.
    static bool same_key(const std::uint64_t* one, const std::uint64_t* other, std::size_t at_value) {
        const std::uint64_t second = at_value > 2 ? one[2] ^ other[2] : 0;
        return ((one[1] ^ other[1]) | second) == 0 &&
               (at_value <= 3 ||
                std::memcmp(one + 3, other + 3, (at_value - 3) * sizeof(std::uint64_t)) == 0);
    }
    static Key key(const std::uint64_t* record) { return K::decode(record + 1); }
    static Value value(const std::uint64_t* record) { return V::read(record + value_offset(record)); }
};

}  // namespace kvasir::detail
