#pragma once
// Counts of words in one open-addressing table: linear probing, slots of 32 bytes, words of up to 15 bytes in
// the slot itself and longer ones in an arena.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kvasir/detail/key.hpp"

namespace kvasir::bench {

/// Exact counts of words of any length. Words are queued so that a slot is on its way from memory while the
/// words before it are counted.
class WordTable {
  public:
    WordTable() : slots_(kFirstSlots) {}

    /// Counts one word. Its bytes must stay where they are until settle().
    void add(PaddedView word) {
        Code& place = queue_[queued_++ % kAhead];
        if (queued_ > kAhead) {
            count(place);
        }
        place = Codes::encode(word);
        __builtin_prefetch(&slots_[place.hash & (slots_.size() - 1)], 1);
    }

    /// Counts all that is queued.
    void settle();

    /// Words counted, repeats included. Only exact after settle(), as all below.
    std::uint64_t words() const { return words_; }
    /// Distinct words.
    std::uint64_t keys() const { return keys_; }
    /// Number that depends on every word and its count but not on their order, below 2^52: the mini-apps'
    /// checksum of the same counts.
    std::uint64_t checksum() const;

    /// Calls `visit(word, count)` for every distinct word, in no particular order.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (const Slot& slot : slots_) {
            if (slot.count != 0) {
                visit(word_of(slot), slot.count);
            }
        }
    }

  private:
    using Codes = detail::KeyTraits<std::string_view>;
    using Code = detail::KeyCode;

    struct alignas(32) Slot {
        std::uint64_t hash;
        std::uint64_t first;   ///< as in KeyCode
        std::uint64_t second;  ///< as in KeyCode; where the word lies in the arena if it is long
        std::uint64_t count;   ///< 0: free
    };

    static constexpr std::size_t kFirstSlots = 1U << 12U;
    static constexpr std::size_t kAhead = 16;  ///< words in the queue

    void count(const Code& code) {
        std::size_t at = code.hash & (slots_.size() - 1);
        while (slots_[at].count != 0) {
            if (same(slots_[at], code)) {
                ++slots_[at].count;
                ++words_;
                return;
            }
            at = (at + 1) & (slots_.size() - 1);
        }
        insert(at, code);
    }

    bool same(const Slot& slot, const Code& code) const {
        if (code.tail == nullptr) [[likely]] {
            return ((slot.first ^ code.first) | (slot.second ^ code.second)) == 0;
        }
        return same_long(slot, code);
    }
    bool same_long(const Slot& slot, const Code& code) const;
    void insert(std::size_t at, const Code& code);
    void grow();
    std::string_view word_of(const Slot& slot) const;

    std::vector<Slot> slots_;
    std::vector<char> arena_;
    std::array<Code, kAhead> queue_;
    std::size_t queued_ = 0;
    std::uint64_t words_ = 0;
    std::uint64_t keys_ = 0;
};

}  // namespace kvasir::bench
