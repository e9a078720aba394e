#pragma once
// Lists of the values of short keys that come often, filled while records arrive: 8 bytes a record in place
// of the record, and nothing left to convert. One table has the keys of all ranks, so that a record is looked
// for once, and before the rank that it goes to is known.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "kvasir/detail/record.hpp"
#include "kvasir/memory.hpp"
#include "kvasir/values.hpp"

namespace kvasir::detail {

/// Groups records by key as they arrive: those of this rank's keys in lists, those of other ranks' keys in
/// pieces, which leave for the lists there when they are full. Takes the keys that it sees first, until its
/// table is full; a key's records are either all here or all elsewhere. Long keys, and values that are long
/// or byte strings, are never taken.
template <class Key, class Value>
class ValueLists {
    using R = RecordTraits<Key, Value>;

  public:
    /// Whether any record of this type is taken.
    static constexpr bool kTakesAny = ValueTraits<Value>::kFixed && sizeof(Value) <= 16 && kShortKeys<Key>;
    /// Words of a full piece that leaves, the first one, later at least and at most: hash, key in two words,
    /// number of values, values.
    static constexpr std::size_t kFirstSentWords = 16;
    static constexpr std::size_t kSentWords = 64;
    static constexpr std::size_t kMostSentWords = 1024;

    /// Where the records of a key belong, if not to another rank (0 or more).
    static constexpr int kHere = -1;
    static constexpr int kNowhere = -2;  ///< they are not taken

    explicit ValueLists(MemoryMeter& meter)
        : meter_(meter), slots_(MeteredAllocator<Slot>(meter)), lists_(MeteredAllocator<List>(meter)) {
        grow(kFirstSlots);
    }

    /// Takes a record of this rank; returns whether its key is one of those here.
    bool add(const std::uint64_t* record) {
        const std::uint64_t* const zone = R::key_zone(record);
        const KeyCode key = KeyTraits<Key>::recode(R::hash(record), zone);
        const auto here = [](std::uint64_t /*hash*/) { return kHere; };
        const bool taken =
            key.tail == nullptr && add(key, ValueTraits<Value>::read(zone + key.words), here, [](auto...) {});
        received_ += static_cast<std::uint64_t>(taken);
        return taken;
    }

    /// Takes a record of a key without a tail; returns whether that is one of those here. route(hash) tells
    /// where a key belongs; ship(rank, piece, words, values) is called for a full piece of another rank's,
    /// which it copies. It may take in what other ranks have shipped meanwhile, so that the table grows.
    template <class Route, class Ship>
    bool add(const KeyCode& key, const Value& value, Route&& route, Ship&& ship) {
        std::size_t at = place_of(key);
        if (slots_[at].next == nullptr) [[unlikely]] {
            at = insert(key, route);
            if (at == kRefused) {
                return false;
            }
        }
        if (slots_[at].next == slots_[at].end) [[unlikely]] {
            at = make_room(key, at, ship);
        }
        std::memcpy(static_cast<void*>(slots_[at].next++), &value, sizeof(Value));
        return true;
    }

    /// Calls ship() for what there is of other ranks' keys, which stay, without values.
    template <class Ship>
    void flush(Ship&& ship) {
        const std::size_t size = slots_.size();
        for (std::size_t at = 0; at < size; ++at) {
            if (slots_[at].next != nullptr && lists_[at].rank != kHere &&
                slots_[at].next != begin_of(lists_[at])) {
                ship_piece(slots_[at], lists_[at], ship);
                if (slots_.size() != size) {
                    flush(ship);  // it has grown: keys are elsewhere
                    return;
                }
            }
        }
    }

    /// Takes the pieces that another rank has shipped to this one, and keeps the memory that they lie in.
    /// Calls refused(key, values) for those of keys that are not taken. Returns the number of values.
    template <class Refused>
    std::uint64_t take(WordBuffer&& shipped, Refused&& refused) {
        // Before any list leads there.
        shipped_.push_back(std::move(shipped));
        WordBuffer& all = shipped_.back();
        const auto here = [](std::uint64_t /*hash*/) { return kHere; };
        std::uint64_t taken = 0;
        const std::uint64_t values =
            for_each_shipped(all.data(), all.words(), [&](const KeyCode& key, std::uint64_t* piece) {
                std::size_t at = place_of(key);
                if (slots_[at].next == nullptr) {
                    at = insert(key, here);
                }
                if (at == kRefused) {
                    refused(key, values_of(piece));
                } else {
                    received_ += piece[kHead - 1];
                    link(lists_[at], reinterpret_cast<Piece*>(piece + kHead) - 1);
                    ++taken;
                }
            });
        if (taken == 0) {
            shipped_.pop_back();
        }
        return values;
    }
    /// Calls visit(key, piece) for each shipped piece in `words` words; returns the number of values.
    template <class Visit>
    static std::uint64_t for_each_shipped(std::uint64_t* data, std::size_t words, Visit&& visit) {
        std::uint64_t values = 0;
        for (const std::uint64_t* const end = data + words; data != end;) {
            const std::size_t number = data[kHead - 1];
            values += number;
            visit(KeyTraits<Key>::recode(R::hash(data), R::key_zone(data)), data);
            data += kHead + words_for(number * sizeof(Value));
        }
        return values;
    }
    /// Returns the values of such a piece.
    static std::span<const Value> values_of(const std::uint64_t* piece) {
        return {reinterpret_cast<const Value*>(piece + kHead), piece[kHead - 1]};
    }

    /// Returns whether keys that are new now are refused.
    bool full() const { return full_; }
    /// Returns whether lists save time: whether keys have come often enough, of which this rank has emitted
    /// `emitted` values, those that have left included.
    bool worthwhile(std::uint64_t emitted) const { return emitted + received_ >= kWorthwhile * keys_; }

    /// Calls visit(record, values) for every key of this rank; `record` is the begin of one, with hash and
    /// key.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t at = 0; at < slots_.size(); ++at) {
            if (slots_[at].next == nullptr || lists_[at].rank != kHere) {
                continue;
            }
            const std::array<std::uint64_t, 3> record{lists_[at].hash, slots_[at].first, slots_[at].second};
            const typename Values<Value>::Parts parts = [&](const typename Values<Value>::Visit& some) {
                for_each_part(at, some);
            };
            visit(record.data(), Values<Value>(lists_[at].room - unused(slots_[at]), parts));
        }
    }

  private:
    /// Where a key's next value goes. A table of these is what every record looks at, so they are small.
    struct Slot {
        std::uint64_t first;  ///< as in KeyCode
        std::uint64_t second;
        Value* next = nullptr;  ///< nullptr: free
        Value* end = nullptr;   ///< of the piece that is being filled
    };
    /// Begin of a piece of memory with values of one key; they follow it.
    struct Piece {
        Piece* after;
        std::size_t room;  ///< values
    };
    struct List {
        std::uint64_t hash;
        std::uint64_t room;  ///< values that all pieces have room for; another rank's: that have left
        Piece* first;
        Piece* last;  ///< the one that is being filled
        int rank;
    };

    static constexpr std::uint64_t kWorthwhile = 8;  ///< values of a key, in the mean
    static constexpr std::size_t kHead = 4;          ///< words before the values of a piece that leaves
    static constexpr std::size_t kFirstSlots = 1024;
    static constexpr std::size_t kMostSlots = std::size_t{1} << 15U;  ///< 1 MiB: a table in the cache
    static constexpr std::size_t kRefused = kMostSlots;
    static constexpr std::size_t kFirstRoom = 6;                   ///< with its Piece two cache lines
    static constexpr std::size_t kLargestPiece = 4096;             ///< words
    static constexpr std::size_t kPage = std::size_t{1} << 17U;    ///< words that pieces are cut from
    static constexpr std::size_t kCached = std::size_t{1} << 16U;  ///< words of all pieces that leave

    static std::size_t unused(const Slot& slot) { return static_cast<std::size_t>(slot.end - slot.next); }
    template <class Visit>
    void for_each_part(std::size_t at, Visit&& visit) const {
        const List& list = lists_[at];
        for (const Piece* piece = list.first; piece != nullptr; piece = piece->after) {
            __builtin_prefetch(piece->after);
            const auto* const values = reinterpret_cast<const Value*>(piece + 1);
            visit(
                std::span<const Value>(values, piece->room - (piece == list.last ? unused(slots_[at]) : 0)));
        }
    }

    /// Returns the slot of a key, or the free one where it would be.
    std::size_t place_of(const KeyCode& key) const {
        for (std::size_t at = key.hash & mask_;; at = (at + 1) & mask_) {
            const Slot& slot = slots_[at];
            if (slot.next == nullptr || ((slot.first ^ key.first) | (slot.second ^ key.second)) == 0) {
                return at;
            }
        }
    }

    /// Adds a key without values; returns its slot, or kRefused.
    template <class Route>
    [[gnu::noinline]] std::size_t insert(const KeyCode& key, Route&& route) {
        if (full_) {
            return kRefused;
        }
        const int rank = route(key.hash);
        if (rank == kNowhere) {
            return kRefused;
        }
        if (2 * (keys_ + 1) > slots_.size()) {
            if (2 * slots_.size() > kMostSlots) {
                full_ = true;
                return kRefused;
            }
            grow(2 * slots_.size());
        }
        const std::size_t at = free_slot(key.hash);
        Slot slot{key.first, key.second};
        List list{key.hash, 0, nullptr, nullptr, rank};
        if (rank == kHere) {
            extend(slot, list);
        } else {
            open(slot, list, kFirstSentWords);
        }
        slots_[at] = slot;
        lists_[at] = list;
        ++keys_;
        return at;
    }

    std::size_t free_slot(std::uint64_t hash) const {
        std::size_t at = hash & mask_;
        while (slots_[at].next != nullptr) {
            at = (at + 1) & mask_;
        }
        return at;
    }

    /// Makes room for a value of the key at `at`; returns where the key is then.
    template <class Ship>
    [[gnu::noinline]] std::size_t make_room(const KeyCode& key, std::size_t at, Ship&& ship) {
        if (lists_[at].rank == kHere) {
            extend(slots_[at], lists_[at]);
            return at;
        }
        ship_piece(slots_[at], lists_[at], ship);
        return place_of(key);
    }

    /// Gives a list a piece more: an eighth of what it has, so that little of its room is ever unused.
    void extend(Slot& slot, List& list) {
        const std::size_t words =
            2 + std::clamp<std::size_t>(list.room * sizeof(Value) / 64, kFirstRoom, kLargestPiece);
        auto* const piece = reinterpret_cast<Piece*>(cut(words));
        *piece = {nullptr, (words * sizeof(std::uint64_t) - sizeof(Piece)) / sizeof(Value)};
        (list.last == nullptr ? list.first : list.last->after) = piece;
        list.last = piece;
        list.room += piece->room;
        slot.next = reinterpret_cast<Value*>(piece + 1);
        slot.end = slot.next + piece->room;
    }

    /// Gives a list another piece's values, which come first.
    static void link(List& list, Piece* piece) {
        piece->after = list.first;
        list.first = piece;
        list.room += piece->room;
    }

    /// Gives another rank's key its piece, which is filled again and again.
    void open(Slot& slot, List& list, std::size_t words) {
        std::uint64_t* const piece = cut(words);
        piece[0] = list.hash;
        piece[1] = slot.first;
        piece[2] = slot.second;
        list.last = reinterpret_cast<Piece*>(piece + kHead) - 1;
        slot.next = begin_of(list);
        slot.end = slot.next + values_in(words);
    }
    static Value* begin_of(const List& list) { return reinterpret_cast<Value*>(list.last + 1); }
    static constexpr std::size_t values_in(std::size_t words) {
        return (words - kHead) * sizeof(std::uint64_t) / sizeof(Value);
    }

    /// Returns the words of a key's next pieces: the fewer pieces the better, but all together should stay in
    /// the cache, and be a small part of what has left.
    std::size_t words_to_send(const List& list) const {
        const std::size_t most = std::min(kCached / keys_, list.room * sizeof(Value) / 64);
        return std::clamp(std::bit_floor(most), kSentWords, kMostSentWords);
    }

    /// Ships what there is of another rank's key, and makes room for more of it before.
    template <class Ship>
    void ship_piece(Slot& slot, List& list, Ship&& ship) {
        Value* const begin = begin_of(list);
        const auto values = static_cast<std::size_t>(slot.next - begin);
        const std::size_t bytes = values * sizeof(Value);
        const std::size_t words = words_for(bytes);
        std::memset(reinterpret_cast<char*>(begin) + bytes, 0, words * sizeof(std::uint64_t) - bytes);
        list.last->room = values;
        list.room += values;
        const auto* const piece = reinterpret_cast<const std::uint64_t*>(begin) - kHead;
        const std::size_t next = words_to_send(list);
        if (slot.next == slot.end && values < values_in(next)) {
            open(slot, list, next);
        } else {
            slot.next = begin;
        }
        ship(list.rank, piece, kHead + words, values);
    }

    std::uint64_t* cut(std::size_t words) {
        if (left_ < words) {
            // The first pages are small, as the records of a small job are.
            const std::size_t page = std::clamp<std::size_t>(in_pages_ / 8, kLargestPiece + 2, kPage);
            pages_.emplace_back(meter_, page);
            in_pages_ += page;
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
    std::uint64_t received_ = 0;  ///< values that came from other ranks, and by records
    bool full_ = false;
    std::vector<WordBuffer> pages_;
    std::size_t in_pages_ = 0;  ///< words
    std::uint64_t* cursor_ = nullptr;
    std::size_t left_ = 0;
    std::vector<WordBuffer> shipped_;  ///< pieces that came from other ranks
};

}  // namespace kvasir::detail
