#pragma once
// Table of the keys that come most often: records of short keys are combined here before they reach the
// blocks that travel.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kvasir/detail/key.hpp"
#include "kvasir/detail/value.hpp"
#include "kvasir/memory.hpp"

namespace kvasir::detail {

/// Whether records of this type fit into a HotTable.
template <class Key, class Value>
inline constexpr bool kFitsHotTable = ValueTraits<Value>::kFixed &&
                                      sizeof(Value) <= sizeof(std::uint64_t) && kShortKeys<Key>;

/// Open-addressing table with linear probing and slots of 32 bytes that hold hash, key and value: one cache
/// line a record, where a Block needs two, its index and the record. It keeps the keys that it saw first,
/// which are the frequent ones where any are, until clear(). Records wait in a short queue, so that their
/// slots are on their way from memory before they get there.
template <class Key, class Value>
class HotTable {
  public:
    /// most: bytes, rounded down to a power of two.
    HotTable(MemoryMeter& meter, std::size_t most) : meter_(&meter), most_(most) {}

    /// Returns whether so many bytes are worth a table.
    bool usable() const { return most_ >= kFirstSlots * sizeof(Slot); }

    /// Puts a record of a key without tail in the queue. The record that it pushes out is combined, or else
    /// given to `pass(key, value)`. Returns whether one was combined.
    template <class Combine, class Pass>
    bool add(const KeyCode& key, const Value& value, Combine& combiner, Pass&& pass) {
        if (mask_ == 0) [[unlikely]] {
            if (!meter_->has_room(kFirstSlots * sizeof(Slot))) {
                pass(key, value);
                return false;
            }
            grow(kFirstSlots);
        }
        Slot& place = queue_[queued_ % kQueue];
        const bool combined = queued_++ >= kQueue && take(place, combiner, pass);
        place = {key.hash, key.first, key.second, value};
        __builtin_prefetch(slots() + (key.hash & mask_), 1);
        return combined;
    }

    /// Combines or passes what is in the queue. Returns how many records were combined.
    template <class Combine, class Pass>
    std::uint64_t settle(Combine& combiner, Pass&& pass) {
        std::uint64_t combined = 0;
        for (std::size_t left = std::min(queued_, kQueue); left != 0; --left) {
            combined += static_cast<std::uint64_t>(take(queue_[(queued_ - left) % kQueue], combiner, pass));
        }
        queued_ = 0;
        return combined;
    }

    /// Passes all records and forgets them. The queue must be settled.
    template <class Pass>
    void clear(Pass&& pass) {
        for (std::size_t at = 0; used_ != 0; ++at) {
            Slot& slot = slots()[at];
            if (slot.hash != 0) {
                --used_;
                pass_on(slot, pass);
                slot.hash = 0;
            }
        }
        full_ = false;
    }

    /// Returns whether keys that are new now are passed on.
    bool full() const { return full_; }

  private:
    struct Slot {
        std::uint64_t hash;   ///< 0: free
        std::uint64_t first;  ///< as in KeyCode
        std::uint64_t second;
        alignas(8) Value value;
    };
    static_assert(sizeof(Slot) <= 32);
    static constexpr std::size_t kQueue = 16;
    static constexpr std::size_t kFirstSlots = 1024;
    static constexpr std::size_t kCached = 512U << 10U;

    Slot* slots() { return reinterpret_cast<Slot*>(memory_.data()); }

    /// Returns whether the record was combined.
    template <class Combine, class Pass>
    bool take(const Slot& waiting, Combine& combiner, Pass&& pass) {
        Slot* const slots = this->slots();
        for (std::size_t at = waiting.hash & mask_;; at = (at + 1) & mask_) {
            Slot& slot = slots[at];
            if (((slot.first ^ waiting.first) | (slot.second ^ waiting.second) |
                 (slot.hash ^ waiting.hash)) == 0) [[likely]] {
                slot.value = combiner(slot.value, waiting.value);
                return true;
            }
            if (slot.hash == 0) {
                return insert(slot, waiting, pass);
            }
        }
    }

    template <class Pass>
    [[gnu::noinline]] bool insert(Slot& slot, const Slot& waiting, Pass&& pass) {
        if (waiting.hash == 0 || full_) {
            pass_on(waiting, pass);
            return false;
        }
        slot = waiting;
        // A table in the cache costs wrong guesses of where a probe ends, so it stays half empty; a larger
        // one costs the memory it touches, so it is filled more.
        const std::size_t slots = mask_ + 1;
        const std::size_t larger = 2 * slots * sizeof(Slot);
        const bool cached = larger <= kCached;
        if (++used_ >= (cached ? slots / 2 : slots / 3 * 2)) {
            // Of keys that are all equally frequent and so many that half of them do not fit, fewer than one
            // record of ten has found its like when a quarter is used.
            const bool worthwhile = 4 * larger <= most_ || (queued_ - used_) * 10 >= queued_;
            full_ = !worthwhile || larger > most_ || !meter_->has_room(larger);
            if (!full_) {
                grow(2 * slots);
            }
        }
        return false;
    }

    template <class Pass>
    static void pass_on(const Slot& waiting, Pass&& pass) {
        const std::uint64_t zone[2] = {waiting.first, waiting.second};
        pass(KeyTraits<Key>::recode(waiting.hash, zone), waiting.value);
    }

    void grow(std::size_t slots) {
        WordBuffer old(*meter_, slots * sizeof(Slot) / sizeof(std::uint64_t));
        std::swap(old, memory_);
        mask_ = slots - 1;
        std::memset(memory_.data(), 0, memory_.bytes());
        const auto* const from = reinterpret_cast<const Slot*>(old.data());
        for (std::size_t i = 0; i != old.bytes() / sizeof(Slot); ++i) {
            if (from[i].hash != 0) {
                std::size_t at = from[i].hash & mask_;
                while (this->slots()[at].hash != 0) {
                    at = (at + 1) & mask_;
                }
                this->slots()[at] = from[i];
            }
        }
    }

    MemoryMeter* meter_;
    std::size_t most_;
    WordBuffer memory_;
    std::size_t mask_ = 0;
    std::size_t used_ = 0;
    std::array<Slot, kQueue> queue_;
    std::size_t queued_ = 0;  ///< ever since the last settle()
    bool full_ = false;
};

}  // namespace kvasir::detail
