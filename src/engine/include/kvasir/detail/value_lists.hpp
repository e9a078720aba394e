#pragma once
// Lists of the values of short keys that come often, filled while records arrive: 8 bytes a record in place
// of the record, and nothing left to convert.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "kvasir/detail/record.hpp"
#include "kvasir/memory.hpp"
#include "kvasir/values.hpp"

namespace kvasir::detail {

/// Groups records as they arrive. Takes the keys that it sees first, until its table is full; a key's records
/// are either all here or all elsewhere. Long keys, and values that are long or byte strings, are never
/// taken.
template <class Key, class Value>
class ValueLists {
    using R = RecordTraits<Key, Value>;

  public:
    /// Whether any record of this type is taken.
    static constexpr bool kTakesAny = ValueTraits<Value>::kFixed && sizeof(Value) <= 16 && kShortKeys<Key>;

    explicit ValueLists(MemoryMeter& meter)
        : meter_(meter), slots_(MeteredAllocator<Slot>(meter)), lists_(MeteredAllocator<List>(meter)) {
        grow(kFirstSlots);
    }

    /// Takes a record; returns whether its key is one of those here.
    bool add(const std::uint64_t* record) {
        const std::uint64_t* const zone = R::key_zone(record);
        const KeyCode key = KeyTraits<Key>::recode(R::hash(record), zone);
        return key.tail == nullptr && add(key, ValueTraits<Value>::read(zone + key.words));
    }

    /// Takes a record of a key without a tail; returns whether that is one of those here.
    bool add(const KeyCode& key, const Value& value) {
        const std::size_t at = place_of(key);
        if (slots_[at].next == nullptr) {
            return insert(key, value);
        }
        append(slots_[at], at, value);
        return true;
    }

    /// Takes `values` records of such a key, one or more; returns the same.
    bool add(const KeyCode& key, const Value* value, std::size_t values) {
        if (slots_[place_of(key)].next == nullptr) {
            if (!insert(key, *value)) {
                return false;
            }
            ++value;
            --values;
        }
        const std::size_t at = place_of(key);
        Slot& slot = slots_[at];
        while (values != 0) {
            if (slot.next == slot.end) {
                extend(slot, lists_[at]);
            }
            const std::size_t some = std::min(values, static_cast<std::size_t>(slot.end - slot.next));
            std::memcpy(static_cast<void*>(slot.next), value, some * sizeof(Value));
            slot.next += some;
            value += some;
            values -= some;
        }
        return true;
    }

    /// Forgets all keys. The memory stays, for those that come next.
    void clear() {
        std::fill(slots_.begin(), slots_.end(), Slot{});
        keys_ = 0;
        full_ = false;
        used_pages_ = 0;
        left_ = 0;
    }

    /// Returns whether keys that are new now are refused.
    bool full() const { return full_; }
    /// Returns whether lists of `keys` keys save time, which have come so often that there are `values`
    /// values.
    static constexpr bool worthwhile(std::uint64_t values, std::size_t keys) {
        return values >= kWorthwhile * keys;
    }
    /// Returns the number of keys, and of values of all of them.
    std::size_t keys() const { return keys_; }
    std::uint64_t values() const {
        std::uint64_t values = 0;
        for_each([&](const std::uint64_t* /*record*/, const Values<Value>& list) { values += list.size(); });
        return values;
    }

    /// Most words that write() needs for `values` values of `keys` keys.
    static constexpr std::size_t words_of(std::size_t values, std::size_t keys) {
        return words_for(values * sizeof(Value)) + keys * (kHead + 1);
    }
    /// Writes all lists: the begin of a record, with hash and key in three words, the number of values, and
    /// these. Returns the number of words.
    std::size_t write(std::uint64_t* to) const {
        std::uint64_t* const begin = to;
        for (std::size_t at = 0; at < slots_.size(); ++at) {
            if (slots_[at].next == nullptr) {
                continue;
            }
            const std::uint64_t values = size_of(at);
            const std::size_t words = words_for(values * sizeof(Value));
            const std::array<std::uint64_t, kHead> head{lists_[at].hash, slots_[at].first, slots_[at].second,
                                                        values};
            std::memcpy(to, head.data(), sizeof(head));
            to += kHead;
            to[words - 1] = 0;  // where the last one ends within a word
            auto* bytes = reinterpret_cast<char*>(to);
            for_each_part(at, [&](std::span<const Value> some) {
                std::memcpy(bytes, some.data(), some.size_bytes());
                bytes += some.size_bytes();
            });
            to += words;
        }
        return static_cast<std::size_t>(to - begin);
    }
    /// Calls visit(record, values, number) for every list in `words` words that write() wrote.
    template <class Visit>
    static void for_each_written(const std::uint64_t* data, std::size_t words, Visit&& visit) {
        for (const std::uint64_t* const end = data + words; data != end;) {
            const std::size_t values = data[kHead - 1];
            visit(data, reinterpret_cast<const Value*>(data + kHead), values);
            data += kHead + words_for(values * sizeof(Value));
        }
    }

    /// Calls visit(record, values) for every key; `record` is the begin of one, with hash and key.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t at = 0; at < slots_.size(); ++at) {
            if (slots_[at].next == nullptr) {
                continue;
            }
            const std::array<std::uint64_t, 3> record{lists_[at].hash, slots_[at].first, slots_[at].second};
            const typename Values<Value>::Parts parts = [&](const typename Values<Value>::Visit& some) {
                for_each_part(at, some);
            };
            visit(record.data(), Values<Value>(size_of(at), parts));
        }
    }

  private:
    /// Where a key's next value goes. A table of these is what every record looks at, so they are small.
    struct Slot {
        std::uint64_t first;  ///< as in KeyCode
        std::uint64_t second;
        Value* next = nullptr;  ///< nullptr: free
        Value* end = nullptr;   ///< of the list's last piece
    };
    /// Begin of a piece of memory with values of one key; they follow it.
    struct Piece {
        Piece* after;
        std::size_t room;  ///< values
    };
    struct List {
        std::uint64_t hash;
        std::uint64_t room;  ///< values that all pieces have room for
        Piece* first;
        Piece* last;
    };

    static constexpr std::uint64_t kWorthwhile = 8;  ///< values of a key, in the mean
    static constexpr std::size_t kHead = 4;          ///< words before the values of a list that is written
    static constexpr std::size_t kFirstSlots = 1024;
    static constexpr std::size_t kMostSlots = std::size_t{1} << 15U;  ///< 1 MiB: a table in the cache
    static constexpr std::size_t kFirstRoom = 6;                      ///< with its Piece two cache lines
    static constexpr std::size_t kLargestPiece = 4096;                ///< words
    static constexpr std::size_t kPage = std::size_t{1} << 17U;       ///< words that pieces are cut from

    /// Returns the number of values in the list of a slot; calls visit(values) for those of each piece.
    std::size_t size_of(std::size_t at) const { return lists_[at].room - unused(at); }
    std::size_t unused(std::size_t at) const {
        return static_cast<std::size_t>(slots_[at].end - slots_[at].next);
    }
    template <class Visit>
    void for_each_part(std::size_t at, Visit&& visit) const {
        const List& list = lists_[at];
        for (const Piece* piece = list.first; piece != nullptr; piece = piece->after) {
            visit(std::span<const Value>(values_in(piece),
                                         piece->room - (piece == list.last ? unused(at) : 0)));
        }
    }

    static Value* values_in(Piece* piece) { return reinterpret_cast<Value*>(piece + 1); }
    static const Value* values_in(const Piece* piece) { return reinterpret_cast<const Value*>(piece + 1); }

    /// Returns the slot of a key, or the free one where it would be.
    std::size_t place_of(const KeyCode& key) const {
        for (std::size_t at = key.hash & mask_;; at = (at + 1) & mask_) {
            const Slot& slot = slots_[at];
            if (slot.next == nullptr || ((slot.first ^ key.first) | (slot.second ^ key.second)) == 0) {
                return at;
            }
        }
    }

    void append(Slot& slot, std::size_t at, const Value& value) {
        if (slot.next == slot.end) [[unlikely]] {
            extend(slot, lists_[at]);
        }
        std::memcpy(static_cast<void*>(slot.next++), &value, sizeof(Value));
    }

    [[gnu::noinline]] bool insert(const KeyCode& key, const Value& value) {
        if (full_) {
            return false;
        }
        if (2 * (keys_ + 1) > slots_.size()) {
            if (2 * slots_.size() > kMostSlots) {
                full_ = true;
                return false;
            }
            grow(2 * slots_.size());
        }
        const std::size_t at = free_slot(key.hash);
        slots_[at].first = key.first;
        slots_[at].second = key.second;
        lists_[at] = {key.hash, 0, nullptr, nullptr};
        extend(slots_[at], lists_[at]);
        append(slots_[at], at, value);
        ++keys_;
        return true;
    }

    std::size_t free_slot(std::uint64_t hash) const {
        std::size_t at = hash & mask_;
        while (slots_[at].next != nullptr) {
            at = (at + 1) & mask_;
        }
        return at;
    }

    /// Gives a list a piece more: an eighth of what it has, so that little of its room is ever unused.
    [[gnu::noinline]] void extend(Slot& slot, List& list) {
        const std::size_t words =
            2 + std::clamp<std::size_t>(list.room * sizeof(Value) / 64, kFirstRoom, kLargestPiece);
        auto* const piece = reinterpret_cast<Piece*>(take(words));
        *piece = {nullptr, (words * sizeof(std::uint64_t) - sizeof(Piece)) / sizeof(Value)};
        (list.last == nullptr ? list.first : list.last->after) = piece;
        list.last = piece;
        list.room += piece->room;
        slot.next = values_in(piece);
        slot.end = slot.next + piece->room;
    }

    std::uint64_t* take(std::size_t words) {
        if (left_ < words) {
            if (used_pages_ == pages_.size()) {
                // The first pages are small, as the records of a small job are.
                const std::size_t page = std::clamp<std::size_t>(taken_ / 8, kLargestPiece + 2, kPage);
                pages_.emplace_back(meter_, page);
                taken_ += page;
            }
            left_ = pages_[used_pages_].words();
            cursor_ = pages_[used_pages_].data();
            ++used_pages_;
        }
        left_ -= words;
        cursor_ += words;
        return cursor_ - words;
    }

    void grow(std::size_t slots) {
        MeteredVector<Slot> old_slots(slots, Slot{}, slots_.get_allocator());
        MeteredVector<List> old_lists(slots, List{}, lists_.get_allocator());
        std::swap(old_slots, slots_);
        std::swap(old_lists, lists_);
        mask_ = slots - 1;
        for (std::size_t from = 0; from < old_slots.size(); ++from) {
            if (old_slots[from].next != nullptr) {
                const std::size_t at = free_slot(old_lists[from].hash);
                slots_[at] = old_slots[from];
                lists_[at] = old_lists[from];
            }
        }
    }

    MemoryMeter& meter_;
    MeteredVector<Slot> slots_;
    MeteredVector<List> lists_;  ///< of the slots, each in the same place
    std::size_t mask_ = 0;
    std::size_t keys_ = 0;
    bool full_ = false;
    std::vector<WordBuffer> pages_;
    std::size_t used_pages_ = 0;  ///< the first of them
    std::size_t taken_ = 0;       ///< words of all pages
    std::uint64_t* cursor_ = nullptr;
    std::size_t left_ = 0;
};

}  // namespace kvasir::detail
