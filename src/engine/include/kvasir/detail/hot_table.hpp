#pragma once
// Table of the keys that come most often: records of short keys are combined here before they reach the
// blocks that travel.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "kvasir/detail/hash.hpp"
#include "kvasir/detail/key.hpp"
#include "kvasir/detail/value.hpp"
#include "kvasir/memory.hpp"

namespace kvasir::detail {

/// Whether records of this type fit into a HotTable.
template <class Key, class Value>
inline constexpr bool kFitsHotTable = ValueTraits<Value>::kFixed &&
                                      sizeof(Value) <= sizeof(std::uint64_t) && kShortKeys<Key>;

/// Open-addressing tables, one of keys of one word and one of keys of two, whose buckets are cache lines with
/// four or two records: a key is looked for in a slot of its own, in the others of that line, then in the
/// lines after. They keep the keys that they saw first, which are the frequent ones where any are, until
/// clear(). While one is larger than the cache, records wait in a short queue, so that their lines are on
/// their way from memory before they get there. One that would become so asks to be cleared instead where
/// keys come again soon, as words of a text do.
template <class Key, class Value>
class HotTable {
  public:
    /// most: bytes of both tables, each rounded down to a power of two.
    HotTable(MemoryMeter& meter, std::size_t most)
        : meter_(meter),
          tables_{Table{most / (kShares[0] + kShares[1]) * kShares[0]},
                  Table{most / (kShares[0] + kShares[1]) * kShares[1]}} {}
    HotTable(const HotTable&) = delete;
    HotTable& operator=(const HotTable&) = delete;

    /// Returns whether so many bytes are worth a table.
    bool usable() const { return fits(0, kFirstSlots) || fits(1, kFirstSlots); }

    /// Takes a record of a key without tail. It, or one that waited, is combined, kept, or else given to
    /// `pass(key, value)`.
    template <class Combine, class Pass>
    void add(const KeyCode& key, const Value& value, Combine& combiner, Pass&& pass) {
        if (key.first == kFree) [[unlikely]] {
            pass(key, value);
            return;
        }
        ++records_;
        const Waiting record{key.hash, key.first ^ kFree, key.second, value, key.words - 1};
        if (!queueing_) {
            take(record, combiner, pass);
            return;
        }
        __builtin_prefetch(own_slot(record), 1);
        Waiting& place = queue_[queued_ % kQueue];
        if (queued_++ >= kQueue) [[likely]] {
            take(place, combiner, pass);
        }
        place = record;
    }

    /// Does the same with the records that wait.
    template <class Combine, class Pass>
    void settle(Combine& combiner, Pass&& pass) {
        for (std::size_t left = waiting(); left != 0; --left) {
            take(queue_[(queued_ - left) % kQueue], combiner, pass);
        }
        queued_ = 0;
    }

    /// Passes all records, by partition of the store, and forgets them. None may wait.
    template <class Pass>
    void clear(Pass&& pass) {
        for (std::size_t two = 0; two < 2; ++two) {
            Table& table = tables_[two];
            for (std::uint64_t* some = slots_[two].begin; table.used != 0; some += kSome) {
                table.used -= for_each(
                    some, kSome, two,
                    [&](const Waiting& record, const std::uint64_t* /*slot*/) { pass_on(record, pass); });
                std::memset(some, 0, kSome * sizeof(std::uint64_t));
            }
            table.full = false;
        }
        worn_ = false;
        records_before_ = records_;
        kept_before_ = kept_;
    }

    /// Gives the memory of the tables back, in which there must be no records.
    void release() {
        for (std::size_t two = 0; two < 2; ++two) {
            tables_[two].memory = WordBuffer();
            slots_[two] = Slots{none_.data()};
        }
        queueing_ = false;
    }

    /// Returns whether keys that are new now are passed on, those of one length at least.
    bool full() const { return tables_[0].full || tables_[1].full; }
    /// Returns whether clear() is due: new keys are passed on since most records find their like in a table
    /// that fits the cache, one that begins empty.
    bool worn() const { return worn_; }
    /// Returns how many records have ever been combined.
    std::uint64_t combined() const { return records_ - waiting() - kept_; }

  private:
    /// A record on its way to its slot.
    struct Waiting {
        std::uint64_t hash;
        std::uint64_t mark;  ///< as in a slot
        std::uint64_t second;
        Value value;
        std::size_t two;  ///< 1: a key of two words, else 0
    };
    /// Slots: the first word of the key without kFree, the second where it has one, the value, and in those
    /// of four words one that is unused.
    struct Slots {
        std::uint64_t* begin;
        std::size_t number = 1;
        unsigned shift = kIndexBits;  ///< of the bits of a hash that choose a slot
    };
    struct Table {
        explicit Table(std::size_t bytes) : most(bytes) {}
        std::size_t most;  ///< bytes
        WordBuffer memory;
        std::size_t used = 0;  ///< slots
        bool full = false;
    };

    /// First word that no byte string has, and hardly any number: in its place 0 means free, as memory is at
    /// first. Records of it are passed on.
    static constexpr std::uint64_t kFree = 0xd1b54a32d192edffULL;
    static constexpr std::size_t kLine = 8;  ///< words
    /// Bits of a hash that may choose a slot, from the highest one on. Those choose the partition of the
    /// store as well, so that clear() passes one partition after another.
    static constexpr unsigned kIndexBits = 32;
    static constexpr std::size_t kSome = 128;  ///< words that are looked through at a time
    static constexpr std::size_t kQueue = 16;
    static constexpr std::size_t kFirstSlots = 1024;
    static constexpr std::size_t kCached = 512U << 10U;
    static constexpr std::uint64_t kSoon = 6;
    static constexpr std::uint64_t kPatience = 64;
    /// Of the memory, by words of the key. Most words of most texts take one.
    static constexpr std::array<std::size_t, 2> kShares =
        std::is_same_v<Key, std::string_view> ? std::array<std::size_t, 2>{3, 1}
        : sizeof(Key) <= 8                    ? std::array<std::size_t, 2>{1, 0}
                                              : std::array<std::size_t, 2>{0, 1};

    static constexpr std::size_t words_of_slot(std::size_t two) { return std::size_t{2} << two; }
    static constexpr std::size_t bytes_of(std::size_t two, std::size_t slots) {
        return slots * words_of_slot(two) * sizeof(std::uint64_t);
    }
    bool fits(std::size_t two, std::size_t slots) const {
        return bytes_of(two, slots) <= tables_[two].most && meter_.has_room(bytes_of(two, slots));
    }
    std::size_t waiting() const { return std::min(queued_, kQueue); }

    std::uint64_t* own_slot(const Waiting& record) const { return slot_of(record, slots_[record.two]); }
    static std::uint64_t* slot_of(const Waiting& record, const Slots& slots) {
        return slots.begin + (index_of(record, slots) << (1 + record.two));
    }
    static std::size_t index_of(const Waiting& record, const Slots& slots) {
        return (record.hash & ((std::uint64_t{1} << kIndexBits) - 1)) >> slots.shift;
    }
    /// Returns 0 where the slot is the key's. No branch on one word or two: that would be mispredicted with
    /// every other word of a text.
    static std::uint64_t difference(const std::uint64_t* slot, const Waiting& record) {
        return (slot[0] ^ record.mark) | ((slot[1] ^ record.second) & (0 - record.two));
    }
    template <class Combine>
    static void combine(std::uint64_t* slot, const Waiting& record, Combine& combiner) {
        Value value;
        std::memcpy(&value, slot + 1 + record.two, sizeof(Value));
        value = combiner(value, record.value);
        std::memcpy(slot + 1 + record.two, &value, sizeof(Value));
    }

    template <class Combine, class Pass>
    [[gnu::always_inline]] void take(const Waiting& record, Combine& combiner, Pass&& pass) {
        std::uint64_t* const own = own_slot(record);
        if (difference(own, record) == 0) [[likely]] {
            combine(own, record, combiner);
        } else {
            take_elsewhere(record, combiner, pass);
        }
    }

    /// By value: the address of a record that is still in registers would put every one into memory.
    template <class Combine, class Pass>
    [[gnu::noinline]] void take_elsewhere(Waiting record, Combine& combiner, Pass&& pass) {
        std::uint64_t* const slot = find(record);
        if (slot[0] != 0) [[likely]] {
            combine(slot, record, combiner);
        } else {
            insert(slot, record, pass);
        }
    }

    template <class Pass>
    [[gnu::noinline]] void insert(std::uint64_t* slot, const Waiting& record, Pass&& pass) {
        ++kept_;
        Table& table = tables_[record.two];
        if (table.full || (table.memory.words() == 0 && !begin(record.two))) {
            pass_on(record, pass);
            return;
        }
        write(table.used == 0 ? find(record) : slot, record);
        ++table.used;
        // A table in the cache costs wrong guesses of where a key is, so most of it stays empty; a larger one
        // costs the memory it touches, so it is filled more.
        const std::size_t slots = slots_[record.two].number;
        const bool cached = bytes_of(record.two, 2 * slots) <= kCached;
        if (table.used >= (cached ? slots / 4 : slots / 3 * 2)) {
            // Memory is cheaper than moving many records often.
            const std::size_t factor = !cached && fits(record.two, 4 * slots) ? 4 : 2;
            const bool leaves_cache = !cached && bytes_of(record.two, slots) <= kCached;
            worn_ = worn_ || (leaves_cache && stay_in_cache());
            table.full = (leaves_cache && worn_) || !fits(record.two, factor * slots);
            if (!table.full) {
                grow(record.two, factor * slots);
            }
        }
    }

    /// Decides whether a table that has filled the cache is to be cleared rather than to grow: it combined so
    /// many records that a larger one, where every record costs a read from memory, would take longer. Such a
    /// read takes a sixth of the time that a record needs from here to its place after the exchange
    /// (CombineChoice).
    bool stay_in_cache() {
        const std::uint64_t kept = kept_ - kept_before_;
        if (kept * kSoon <= records_ - records_before_) {
            return true;
        }
        // Nor does a passage of rare words make a text one that needs a larger table.
        excess_ += kept;
        return excess_ * kPatience <= records_;
    }

    /// Returns the slot of a key, or the free one where it would be. No branch on which one of a line it is:
    /// nothing foretells that.
    std::uint64_t* find(const Waiting& record) const {
        const Slots& slots = slots_[record.two];
        const std::size_t step = words_of_slot(record.two);
        const std::size_t mask = slots.number * step - 1;
        for (std::size_t at = index_of(record, slots) * step;; at = (at + kLine) & mask) {
            std::uint64_t* found = nullptr;
            std::uint64_t* room = nullptr;
            for (std::size_t i = kLine; i != 0;) {
                i -= 2;
                std::uint64_t* const slot = slots.begin + (at ^ i);
                const std::uint64_t none = i & (step - 2);  // half of these are no slots of four words
                room = (slot[0] | none) == 0 ? slot : room;
                found = (difference(slot, record) | none) == 0 ? slot : found;
            }
            found = found != nullptr ? found : room;
            if (found != nullptr) [[likely]] {
                return found;
            }
        }
    }

    static void write(std::uint64_t* slot, const Waiting& record) {
        slot[0] = record.mark;
        slot[1] = record.second;
        std::memcpy(slot + 1 + record.two, &record.value, sizeof(Value));
    }
    /// Calls visit(record, slot) for the records in `words` words of slots, at most kSome; returns how many.
    /// No branch on whether a slot is free: nothing foretells that.
    template <class Visit>
    static std::size_t for_each(const std::uint64_t* begin, std::size_t words, std::size_t two,
                                Visit&& visit) {
        std::array<std::uint8_t, kSome / 2> taken;
        std::size_t records = 0;
        for (std::size_t at = 0; at < words; at += words_of_slot(two)) {
            taken[records] = static_cast<std::uint8_t>(at);
            records += static_cast<std::size_t>(begin[at] != 0);
        }
        for (std::size_t i = 0; i < records; ++i) {
            visit(read(begin + taken[i], two), begin + taken[i]);
        }
        return records;
    }
    static Waiting read(const std::uint64_t* slot, std::size_t two) {
        Waiting record{0, slot[0], two != 0 ? slot[1] : 0, Value{}, two};
        std::memcpy(&record.value, slot + 1 + two, sizeof(Value));
        record.hash = hash_words(record.mark ^ kFree, record.second);
        return record;
    }

    template <class Pass>
    static void pass_on(const Waiting& record, Pass&& pass) {
        const std::uint64_t zone[2] = {record.mark ^ kFree, record.second};
        pass(KeyTraits<Key>::recode(record.hash, zone), record.value);
    }

    /// Makes the first table of a kind; returns whether there is room for it.
    bool begin(std::size_t two) {
        const bool room = fits(two, kFirstSlots);
        if (room) {
            grow(two, kFirstSlots);
        }
        return room;
    }

    void grow(std::size_t two, std::size_t slots) {
        Table& table = tables_[two];
        WordBuffer memory(meter_, bytes_of(two, slots) / sizeof(std::uint64_t));
        std::memset(memory.data(), 0, memory.bytes());
        const Slots before = std::exchange(
            slots_[two], {memory.data(), slots, kIndexBits - static_cast<unsigned>(std::countr_zero(slots))});
        std::swap(memory, table.memory);
        // Of each line first those in their own slots, which they get again: they came before the others and
        // are the more frequent ones.
        const std::uint64_t* const end = memory.data() + memory.words();
        for (const std::uint64_t* line = memory.data(); line != end; line += kLine) {
            std::array<Waiting, kLine / 2> others;
            std::size_t left = 0;
            for_each(line, kLine, two, [&](const Waiting& record, const std::uint64_t* old) {
                if (slot_of(record, before) == old) {
                    write(find(record), record);
                } else {
                    others[left++] = record;
                }
            });
            while (left != 0) {
                --left;
                write(find(others[left]), others[left]);
            }
        }
        queueing_ = queueing_ || table.memory.bytes() > kCached;
    }

    MemoryMeter& meter_;
    std::array<Table, 2> tables_;              ///< by words of the key
    std::array<std::uint64_t, kLine> none_{};  ///< in place of a table, as long as there is none
    std::array<Slots, 2> slots_{Slots{none_.data()}, Slots{none_.data()}};  ///< of the tables
    std::uint64_t records_ = 0;                                             ///< taken
    std::uint64_t kept_ = 0;            ///< those that were not combined, but kept or passed
    std::uint64_t records_before_ = 0;  ///< `records_` and `kept_` at the last clear()
    std::uint64_t kept_before_ = 0;
    std::uint64_t excess_ = 0;  ///< kept where that were too many
    bool worn_ = false;
    std::array<Waiting, kQueue> queue_;
    std::size_t queued_ = 0;  ///< records, ever since the last settle()
    bool queueing_ = false;
};

}  // namespace kvasir::detail
