#pragma once
// A block with memory of its own, as much as its records need.

#include <algorithm>
#include <array>
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

    /// Combines all records of `pages`; returns how many found their like.
    template <class Combine>
    std::uint64_t combine_all(const RecordPages& pages, Combine& combiner) {
        std::uint64_t combined = 0;
        const auto take = [&](const std::uint64_t* record) {
            combined += static_cast<std::uint64_t>(combine(record, combiner));
        };
        if (block_.bytes() <= kCached) {
            block_.prefetch();
            pages.for_each([&](const std::uint64_t* record) {
                take(record);
                return R::words(record);
            });
            return combined;
        }
        // Records wait in a short queue, so that what they need is on its way: first the index, half a queue
        // later the record.
        std::array<const std::uint64_t*, kQueue> queue;
        std::size_t queued = 0;
        pages.for_each([&](const std::uint64_t* record) {
            if (queued >= kQueue) {
                take(queue[queued % kQueue]);
                block_.prefetch_record(R::hash(queue[(queued + kQueue / 2) % kQueue]));
            }
            block_.prefetch_index(R::hash(record));
            queue[queued++ % kQueue] = record;
            return R::words(record);
        });
        for (std::size_t left = std::min(queued, kQueue); left != 0; --left) {
            take(queue[(queued - left) % kQueue]);
        }
        return combined;
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
    static constexpr std::size_t kQueue = 32;
    static constexpr std::size_t kCached = 1U << 20U;

    [[gnu::noinline]] void grow(const std::uint64_t* record) {
        memory_.resize(memory_.words() + memory_.words() / 2 + R::words(record));
        block_.moved_to(memory_.data(), memory_.words());
    }

    WordBuffer memory_;
    Block<Key, Value> block_;
};

}  // namespace kvasir::detail
