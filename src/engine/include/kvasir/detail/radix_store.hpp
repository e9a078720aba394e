#pragma once
// Container of received records, partitioned by some bits of the hash, so that combining and grouping work on
// one partition at a time, which fits the cache.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "kvasir/callables.hpp"
#include "kvasir/detail/block.hpp"
#include "kvasir/detail/record.hpp"
#include "kvasir/memory.hpp"

namespace kvasir::detail {

/// Records of one partition, in the order of their arrival.
class RecordPages {
  public:
    /// Returns room for `words` more words, to be filled by the caller.
    std::uint64_t* extend(MemoryMeter& meter, std::size_t words) {
        if (words > free_) [[unlikely]] {
            add_page(meter, words);
        }
        std::uint64_t* at = cursor_;
        cursor_ += words;
        free_ -= words;
        total_ += words;
        return at;
    }

    /// Calls visit(const std::uint64_t* record) -> words of the record, for every record.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t i = 0; i < pages_.size(); ++i) {
            const std::uint64_t* at = pages_[i].data();
            const std::uint64_t* end = i + 1 == pages_.size() ? cursor_ : at + filled_[i];
            while (at != end) {
                at += visit(at);
            }
        }
    }

    std::size_t words() const { return total_; }
    void clear() { *this = RecordPages(); }

  private:
    void add_page(MemoryMeter& meter, std::size_t words) {
        constexpr std::size_t smallest = 64;
        constexpr std::size_t largest = std::size_t{1} << 15U;
        if (!pages_.empty()) {
            filled_.push_back(static_cast<std::size_t>(cursor_ - pages_.back().data()));
        }
        const std::size_t size = std::max(words, std::clamp(total_ / 2, smallest, largest));
        pages_.emplace_back(meter, size);
        cursor_ = pages_.back().data();
        free_ = size;
    }

    std::vector<WordBuffer> pages_;
    std::vector<std::size_t> filled_;  ///< words of all pages but the last
    std::uint64_t* cursor_ = nullptr;
    std::size_t free_ = 0;
    std::size_t total_ = 0;
};

inline void copy_words(std::uint64_t* to, const std::uint64_t* from, std::size_t words) {
    if (words <= 8) [[likely]] {
        for (std::size_t i = 0; i < words; ++i) {
            to[i] = from[i];
        }
    } else {
        std::memcpy(to, from, words * sizeof(std::uint64_t));
    }
}

/// Container of received records. With `combining` set, records of equal key are combined whenever a
/// partition has grown to a few times what was left of it the last time, so that memory follows the distinct
/// keys.
template <class Key, class Value, class Combine>
class RadixStore {
    using R = RecordTraits<Key, Value>;

  public:
    static constexpr std::size_t kPartitions = 256;

    RadixStore(MemoryMeter& meter, Combine& combiner, bool combining)
        : meter_(meter), combiner_(combiner), combining_(combining), scratch_(meter) {}

    MemoryMeter& meter() const { return meter_; }
    std::uint64_t combined() const { return combined_; }
    bool combining() const { return combining_; }

    static std::size_t partition_of(std::uint64_t hash) { return (hash >> 24U) % kPartitions; }
    RecordPages& partition(std::size_t index) { return parts_[index].pages; }

    /// Copies the records in `words` words at `data`; returns their number.
    std::uint64_t ingest(const std::uint64_t* data, std::size_t words) {
        std::uint64_t records = 0;
        for (const std::uint64_t* end = data + words; data != end; ++records) {
            const std::size_t length = R::words(data);
            add(data, length);
            data += length;
        }
        return records;
    }

    /// Copies one record.
    void add(const std::uint64_t* record, std::size_t words) {
        Part& part = parts_[partition_of(R::hash(record))];
        copy_words(part.pages.extend(meter_, words), record, words);
        if (combining_ && part.pages.words() >= part.limit) [[unlikely]] {
            combine_partition(partition_of(R::hash(record)));
        }
    }

    /// Combines all records of equal key of one partition.
    void combine_partition(std::size_t index) {
        if constexpr (!std::is_same_v<Combine, NoCombine>) {
            Part& part = parts_[index];
            room(part.pages.words());
            scratch_.attach(memory_.data(), memory_.words());
            part.pages.for_each([&](const std::uint64_t* record) {
                const Value value = R::value(record);
                const KeyCode key = KeyTraits<Key>::recode(R::hash(record), R::key_zone(record));
                Put put = scratch_.combine(key, value, combiner_);
                while (put == Put::full) {  // combined byte strings can outgrow what they were made of
                    WordBuffer larger(meter_, 2 * memory_.words() + R::words_of(key, value));
                    scratch_.move_to(larger.data(), larger.words());
                    memory_ = std::move(larger);
                    put = scratch_.combine(key, value, combiner_);
                }
                combined_ += static_cast<std::uint64_t>(put == Put::combined);
                return R::words(record);
            });
            scratch_.squeeze();
            part.pages.clear();
            if (scratch_.used() != 0) {
                std::memcpy(part.pages.extend(meter_, scratch_.used()), scratch_.data(),
                            scratch_.used() * sizeof(std::uint64_t));
            }
            const std::size_t factor = scratch_.used() < kSmallUnique ? 4 : 2;
            part.limit = std::max(kSmallestLimit, factor * scratch_.used());
        }
    }

    /// Frees what only combining needs.
    void end_combining() { memory_ = WordBuffer(); }

  private:
    static constexpr std::size_t kSmallestLimit = 4096;  // words: with its index about one L1 cache
    static constexpr std::size_t kSmallUnique = 16384;   // words: below, time is worth more than memory

    struct Part {
        RecordPages pages;
        std::size_t limit = kSmallestLimit;
    };

    void room(std::size_t words) {
        if (memory_.words() < words) {
            memory_ = WordBuffer();
            memory_ = WordBuffer(meter_, words + words / 2);
        }
    }

    MemoryMeter& meter_;
    Combine& combiner_;
    bool combining_;
    std::uint64_t combined_ = 0;
    std::array<Part, kPartitions> parts_;
    Block<Key, Value> scratch_;
    WordBuffer memory_;
};

}  // namespace kvasir::detail
