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
/// are either all here or all elsewhere. Long keys, and values that are byte strings, are never taken.
template <class Key, class Value>
class ValueLists {
    using R = RecordTraits<Key, Value>;

  public:
    /// Whether any record of this type is taken.
    static constexpr bool kTakesAny = ValueTraits<Value>::kFixed && kShortKeys<Key>;

    explicit ValueLists(MemoryMeter& meter)
        : meter_(meter), slots_(MeteredAllocator<Slot>(meter)), lists_(MeteredAllocator<List>(meter)) {
        grow(kFirstSlots);
    }

    /// Takes a record; returns whether its key is one of those here.
    bool add(const std::uint64_t* record) {
        const std::uint64_t* const zone = R::key_zone(record);
        const KeyCode key = KeyTraits<Key>::recode(R::hash(record), zone);
        if (key.tail != nullptr) {
            return false;
        }
        for (std::size_t at = key.hash & mask_;; at = (at + 1) & mask_) {
            Slot& slot = slots_[at];
            if (((slot.first ^ key.first) | (slot.second ^ key.second)) == 0 && slot.next != nullptr)
                [[likely]] {
                append(slot, at, ValueTraits<Value>::read(zone + key.words));
                return true;
            }
            if (slot.next == nullptr) {
                return insert(key, ValueTraits<Value>::read(zone + key.words));
            }
        }
    }

    /// Returns whether keys that are new now are refused.
    bool full() const { return full_; }
    /// Returns the number of keys, and of values of all of them.
    std::size_t keys() const { return keys_; }
    std::uint64_t values() const {
        std::uint64_t values = 0;
        for_each([&](const std::uint64_t* /*record*/, const Values<Value>& list) { values += list.size(); });
        return values;
    }

    /// Calls visit(record, values) for every key; `record` is the begin of one, with hash and key.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t at = 0; at < slots_.size(); ++at) {
            const Slot& slot = slots_[at];
            if (slot.next == nullptr) {
                continue;
            }
            const List& list = lists_[at];
            const std::array<std::uint64_t, 3> record{list.hash, slot.first, slot.second};
            const auto left = static_cast<std::size_t>(slot.end - slot.next);
            const typename Values<Value>::Parts parts = [&](const typename Values<Value>::Visit& some) {
                for (const Piece* piece = list.first; piece != nullptr; piece = piece->after) {
                    some({values_in(piece), piece->room - (piece == list.last ? left : 0)});
                }
            };
            visit(record.data(), Values<Value>(list.room - left, parts));
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

    static constexpr std::size_t kFirstSlots = 1024;
    static constexpr std::size_t kMostSlots = std::size_t{1} << 15U;  ///< 1 MiB: a table in the cache
    static constexpr std::size_t kFirstRoom = 6;                      ///< with its Piece two cache lines
    static constexpr std::size_t kLargestPiece = 4096;                ///< words
    static constexpr std::size_t kPage = std::size_t{1} << 17U;       ///< words that pieces are cut from

    static Value* values_in(Piece* piece) { return reinterpret_cast<Value*>(piece + 1); }
    static const Value* values_in(const Piece* piece) { return reinterpret_cast<const Value*>(piece + 1); }

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
            // The first pages are small, as the records of a small job are.
            const std::size_t page = std::clamp<std::size_t>(taken_ / 8, kLargestPiece + 2, kPage);
            pages_.emplace_back(meter_, page);
            taken_ += page;
            left_ = page;
            cursor_ = pages_.back().data();
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
    std::size_t taken_ = 0;  ///< words of all pages
    std::uint64_t* cursor_ = nullptr;
    std::size_t left_ = 0;
};

}  // namespace kvasir::detail
