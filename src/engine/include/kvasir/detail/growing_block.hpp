#pragma once
// A block with memory of its own, as much as its records need.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "kvasir/detail/block.hpp"
#include "kvasir/detail/record.hpp"
#include "kvasir/detail/record_pages.hpp"
#include "kvasir/memory.hpp"

namespace kvasir::detail {

/// Block that grows.
template <class Key, class Value>
class GrowingBlock {
    using R = RecordTraits<Key, Value>;

  public:
    /// words: of memory at first.
    GrowingBlock(MemoryMeter& meter, std::size_t words) : memory_(meter, words), block_(meter) {
        block_.attach(memory_.data(), memory_.words());
    }

    /// Combines a stored record with that of equal key, or appends it; returns whether it was combined.
    template <class Combine>
    bool combine(const std::uint64_t* record, Combine& combiner) {
        while (true) {
            const Put put = block_.combine_stored(record, combiner);
            if (put != Put::full) [[likely]] {
                return put == Put::combined;
            }
            grow(record);
        }
    }

    void append(const std::uint64_t* record) {
        const KeyCode key = KeyTraits<Key>::recode(R::hash(record), R::key_zone(record));
        while (block_.append(key, R::value(record)) == Put::full) {
            grow(record);
        }
    }

    Block<Key, Value>& block() { return block_; }

    /// Gives the records, which are combined, and their memory to `pages`. Nothing but destruction may
    /// follow.
    void give_to(RecordPages& pages) {
        block_.squeeze();
        memory_.resize(block_.used());
        pages.adopt(std::move(memory_), block_.used());
    }

  private:
    [[gnu::noinline]] void grow(const std::uint64_t* record) {
        memory_.resize(memory_.words() + memory_.words() / 2 + R::words(record));
        block_.moved_to(memory_.data(), memory_.words());
    }

    WordBuffer memory_;
    Block<Key, Value> block_;
};

}  // namespace kvasir::detail
