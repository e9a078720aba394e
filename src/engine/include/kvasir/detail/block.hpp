#pragma once
// A bounded piece of memory that records are appended to, with a hash index to combine records of equal key
// where they lie. It is a partition of the send buffer, a block under way, and the combined records of one of
// the receiver's partitions.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kvasir/detail/record.hpp"
#include "kvasir/memory.hpp"

namespace kvasir::detail {

/// Outcome of adding a record. `full`: nothing was changed, there is no room.
enum class Put { appended, combined, full };

template <class Key, class Value>
class Block {
    using R = RecordTraits<Key, Value>;
    using V = ValueTraits<Value>;

  public:
    explicit Block(MemoryMeter& meter) : meter_(&meter) {}

    /// Length in words and encoding of a record, for those that no block has room for.
    static std::size_t words_of(const KeyCode& key, const Value& value) { return R::words_of(key, value); }
    static void write(const KeyCode& key, const Value& value, std::uint64_t* to) { R::write(key, value, to); }

    /// Attaches the block to `words` words at `base`, which it does not own. Clears all records.
    void attach(std::uint64_t* base, std::size_t words) {
        base_ = base;
        capacity_ = words;
        clear();
    }

    const std::uint64_t* data() const { return base_; }
    std::size_t used() const { return used_; }          ///< words
    std::size_t capacity() const { return capacity_; }  ///< words
    std::uint64_t records() const { return records_; }  ///< without dead ones

    void clear() {
        if (indexed_ != 0 && index_.words() != 0) {
            std::memset(index_.data(), 0, index_.bytes());
        }
        used_ = 0;
        records_ = 0;
        indexed_ = 0;
        dead_ = 0;
    }

    /// Frees the index of a block without records.
    void forget_index() {
        index_ = WordBuffer();
        clear();
    }

    /// Appends a record without looking for an equal key.
    Put append(const KeyCode& key, const Value& value) {
        const std::size_t words = R::words_of(key, value);
        if (used_ + words > capacity_) [[unlikely]] {
            return Put::full;
        }
        R::write(key, value, base_ + used_);
        used_ += words;
        ++records_;
        return Put::appended;
    }

    /// Combines the value with that of the record of equal key, or appends the record where there is none.
    template <class Combine>
    Put combine(const KeyCode& key, const Value& value, Combine& combiner) {
        std::uint64_t* const entry = entry_of(key.hash, [&](const std::uint64_t* record) {
            return KeyTraits<Key>::equal(key, R::key_zone(record));
        });
        if (*entry != 0) {
            return replace(key, record_of(*entry) + 1 + key.words, entry, value, combiner);
        }
        const std::size_t at = used_;
        if (append(key, value) == Put::full) [[unlikely]] {
            return make_room() ? combine(key, value, combiner) : Put::full;
        }
        *entry = entry_for(key.hash, at);
        ++indexed_;
        return Put::appended;
    }

    /// Does the same with a record as it is stored.
    template <class Combine>
    Put combine_stored(const std::uint64_t* record, Combine& combiner) {
        if constexpr (!V::kFixed) {
            return combine(KeyTraits<Key>::recode(R::hash(record), R::key_zone(record)), R::value(record),
                           combiner);
        } else {
            const std::size_t at_value = R::value_offset(record);
            std::uint64_t* const entry = entry_of(R::hash(record), [&](const std::uint64_t* other) {
                return R::same_key(record, other, at_value);
            });
            if (*entry != 0) {
                std::uint64_t* const zone = record_of(*entry) + at_value;
                V::write(combiner(V::read(zone), V::read(record + at_value)), zone);
                return Put::combined;
            }
            const std::size_t words = at_value + V::kWords;
            if (used_ + words > capacity_) [[unlikely]] {
                return Put::full;
            }
            std::memcpy(base_ + used_, record, words * sizeof(std::uint64_t));
            *entry = entry_for(R::hash(record), used_);
            used_ += words;
            ++records_;
            ++indexed_;
            return Put::appended;
        }
    }

    /// Returns the bytes of the index: whether a look-up is likely to miss the cache.
    std::size_t index_bytes() const { return index_.bytes(); }

    /// Returns the bytes of the records and of the index.
    std::size_t bytes() const { return used_ * sizeof(std::uint64_t) + index_.bytes(); }

    /// Prefetches index and records, which are read without order soon.
    void prefetch() const {
        constexpr std::size_t line = 8;
        for (std::size_t at = 0; at < index_.words(); at += line) {
            __builtin_prefetch(index_.data() + at);
        }
        for (std::size_t at = 0; at < used_; at += line) {
            __builtin_prefetch(base_ + at, 1);
        }
    }

    /// Prefetches the part of the index that a record of this hash will need.
    void prefetch_index(std::uint64_t hash) const {
        if (index_.words() != 0) {
            __builtin_prefetch(index_.data() + (hash & (index_.words() - 1)));
        }
    }
    /// Prefetches the record that one of this hash will probably be combined with.
    void prefetch_record(std::uint64_t hash) const {
        if (index_.words() != 0) {
            const std::uint64_t entry = index_.data()[hash & (index_.words() - 1)];
            if (entry != 0) {
                __builtin_prefetch(base_ + (entry & ~kTagMask) - 1);
            }
        }
    }

    /// Removes dead records, so that data() and used() are records and nothing else.
    void squeeze() {
        if (dead_ != 0) {
            make_room();
        }
    }

    /// Says that the records have been moved to larger memory at `base`.
    void moved_to(std::uint64_t* base, std::size_t words) {
        base_ = base;
        capacity_ = words;
    }

  private:
    // An entry of the index: the high half of the hash, and 1 + the record's place in words (0: empty).
    static constexpr std::uint64_t kTagMask = 0xffffffff00000000ULL;

    static std::uint64_t entry_for(std::uint64_t hash, std::size_t at) {
        return (hash & kTagMask) | (at + 1);
    }
    std::uint64_t* record_of(std::uint64_t entry) { return base_ + (entry & ~kTagMask) - 1; }

    /// Returns the entry of the record of this hash for which same(record) holds, or the free one where its
    /// entry belongs.
    template <class Same>
    std::uint64_t* entry_of(std::uint64_t hash, Same&& same) {
        if (indexed_ * 3 >= index_.words() * 2) [[unlikely]] {
            grow_index();
        }
        const std::uint64_t tag = hash & kTagMask;
        const std::size_t mask = index_.words() - 1;
        std::uint64_t* const index = index_.data();
        std::size_t slot = hash & mask;
        while (index[slot] != 0 && ((index[slot] & kTagMask) != tag || !same(record_of(index[slot])))) {
            slot = (slot + 1) & mask;
        }
        return &index[slot];
    }

    template <class Combine>
    Put replace(const KeyCode& key, std::uint64_t* zone, std::uint64_t* entry, const Value& value,
                Combine& combiner) {
        if constexpr (V::kFixed) {
            V::write(combiner(V::read(zone), value), zone);
            return Put::combined;
        } else {
            const auto result = combiner(V::read(zone), value);
            const std::string_view bytes = result;
            if (V::words_of(bytes) == V::words(zone)) {
                if (bytes.data() != V::read(zone).data()) {
                    const std::string copy(bytes);  // it may lie inside the zone
                    V::write(copy, zone);
                }
                return Put::combined;
            }
            // A byte string that became longer or shorter is written anew; the old record is dead.
            const std::string copy(bytes);
            const std::size_t at = used_;
            if (append(key, copy) == Put::full) {
                return make_room() ? combine(key, value, combiner) : Put::full;
            }
            zone[0] |= kDead;
            ++dead_;
            --records_;
            *entry = (*entry & kTagMask) | (at + 1);
            return Put::combined;
        }
    }

    /// Removes dead records and compacts the others. Returns false where there was none.
    bool make_room() {
        if (dead_ == 0) {
            return false;
        }
        std::size_t to = 0;
        for (std::size_t from = 0; from < used_;) {
            const std::size_t words = R::words(base_ + from);
            if (!V::dead(base_ + from + R::value_offset(base_ + from))) {
                std::memmove(base_ + to, base_ + from, words * sizeof(std::uint64_t));
                to += words;
            }
            from += words;
        }
        used_ = to;
        dead_ = 0;
        rebuild_index();
        return true;
    }

    void grow_index() {
        std::size_t words = 256;
        while (words < 2 * (records_ + 1)) {
            words *= 2;
        }
        index_ = WordBuffer();
        index_ = WordBuffer(*meter_, words);
        rebuild_index();
    }

    void rebuild_index() {
        if (index_.words() <= records_) {
            grow_index();
            return;
        }
        std::memset(index_.data(), 0, index_.bytes());
        const std::size_t mask = index_.words() - 1;
        indexed_ = 0;
        for (std::size_t at = 0; at < used_; at += R::words(base_ + at)) {
            if (V::dead(base_ + at + R::value_offset(base_ + at))) {
                continue;
            }
            const std::uint64_t hash = base_[at];
            std::size_t slot = hash & mask;
            while (index_.data()[slot] != 0) {
                slot = (slot + 1) & mask;
            }
            index_.data()[slot] = (hash & kTagMask) | (at + 1);
            ++indexed_;
        }
    }

    MemoryMeter* meter_;
    std::uint64_t* base_ = nullptr;
    std::size_t used_ = 0;
    std::size_t capacity_ = 0;
    std::uint64_t records_ = 0;
    std::uint64_t indexed_ = 0;
    std::uint64_t dead_ = 0;
    WordBuffer index_;
};

}  // namespace kvasir::detail
