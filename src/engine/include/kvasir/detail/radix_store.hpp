#pragma once
// Container of received records, partitioned by some bits of the hash, so that combining and grouping work on
// one partition at a time, which fits the cache.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "kvasir/callables.hpp"
#include "kvasir/detail/block.hpp"
#include "kvasir/detail/record.hpp"
#include "kvasir/detail/record_pages.hpp"
#include "kvasir/detail/spill.hpp"
#include "kvasir/memory.hpp"

namespace kvasir::detail {

/// Container of received records. With `combining` set, records of equal key are combined whenever a
/// partition has grown to a few times what was left of it the last time, so that memory follows the distinct
/// keys. With a folder to spill to, the largest partition goes there whenever the budget has no room.
template <class Key, class Value, class Combine>
class RadixStore final : private MemoryRelief {
    using R = RecordTraits<Key, Value>;

  public:
    static constexpr std::size_t kPartitions = 256;

    RadixStore(MemoryMeter& meter, Combine& combiner, bool combining)
        : meter_(meter),
          combiner_(combiner),
          combining_(combining),
          largest_page_(page_words(meter)),
          scratch_(meter) {}
    ~RadixStore() {
        if (spill_) {
            meter_.set_relief(nullptr);
        }
    }

    /// Spills what the meter's budget has no room for to a file in `folder`. Throws Error.
    void spill_to(const std::string& folder) {
        spill_.emplace(meter_, folder, kPartitions);
        meter_.set_relief(this);
    }
    std::uint64_t spilled_bytes() const { return spill_ ? spill_->bytes() : 0; }  ///< of records
    std::uint64_t spill_file_bytes() const { return spill_ ? spill_->file_bytes() : 0; }

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
        copy_words(room_in(part, words), record, words);
        if (combining_ && part.pages.words() >= part.limit) [[unlikely]] {
            combine_partition(partition_of(R::hash(record)));
        }
    }

    /// Calls convert(pages) and then reduce(pages) with all records of a partition, and drops them; or, where
    /// the budget has no room for all, several times with the records of a range of hashes. Where convert
    /// throws OverBudget it is called again with fewer records.
    template <class Convert, class Reduce>
    void process(std::size_t index, Convert&& convert, Reduce&& reduce) {
        Part& part = parts_[index];
        const Pin pin(*this, index);
        if (!spill_) {
            convert(part.pages);
        } else if (!fetched(index) || !attempt([&] { convert(part.pages); })) {
            spill(index);
            process_ranges(index, 0, kRanges, convert, reduce);
            spill_->drop(index);
            return;
        }
        reduce(part.pages);
        part.pages.clear();
    }

    /// Combines all records of equal key of one partition.
    void combine_partition(std::size_t index) {
        if constexpr (!std::is_same_v<Combine, NoCombine>) {
            const Pin pin(*this, index);
            const InUse in_use(scratch_in_use_);
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
            if (scratch_.used() > part.pages.words()) {
                // They need more than they leave: refused here, the records are still as they were.
                meter_.make_room(scratch_.used() * sizeof(std::uint64_t));
            }
            part.pages.clear();
            if (scratch_.used() != 0) {
                std::memcpy(room_in(part, scratch_.used()), scratch_.data(),
                            scratch_.used() * sizeof(std::uint64_t));
            }
            const std::size_t factor = scratch_.used() < kSmallUnique ? 4 : 2;
            part.limit = std::max(kSmallestLimit, factor * scratch_.used());
        }
    }

  private:
    static constexpr std::size_t kSmallestLimit = 4096;  // words: with its index about one L1 cache
    static constexpr std::size_t kSmallUnique = 16384;   // words: below, time is worth more than memory
    static constexpr std::size_t kRanges = 256;          // of hashes, into which a partition can be cut
    static constexpr std::size_t kNone = kPartitions;
    static constexpr int kUselessPause = 8;

    struct Part {
        RecordPages pages;
        std::size_t limit = kSmallestLimit;
    };

    /// Keeps a partition from being spilled while it is in use.
    class Pin {
      public:
        Pin(RadixStore& store, std::size_t index) : store_(store), before_(store.pinned_) {
            store_.pinned_ = index;
        }
        ~Pin() { store_.pinned_ = before_; }
        Pin(const Pin&) = delete;
        Pin& operator=(const Pin&) = delete;

      private:
        RadixStore& store_;
        std::size_t before_;
    };

    /// Says that the scratch table is in use.
    class InUse {
      public:
        explicit InUse(bool& flag) : flag_(flag) { flag_ = true; }
        ~InUse() { flag_ = false; }
        InUse(const InUse&) = delete;
        InUse& operator=(const InUse&) = delete;

      private:
        bool& flag_;
    };

    /// Small enough pages that all partitions' unused ends are a small part of the budget.
    static std::size_t page_words(const MemoryMeter& meter) {
        constexpr std::size_t smallest = 64;
        return meter.has_budget()
                   ? std::clamp(meter.budget() / (64 * kPartitions), smallest, RecordPages::kLargestPage)
                   : RecordPages::kLargestPage;
    }

    std::uint64_t* room_in(Part& part, std::size_t words) {
        if (!part.pages.fits(words)) [[unlikely]] {
            // First room, which may cost this very partition its pages; then its page, which gets no longer.
            const std::size_t page = part.pages.next_page(words, largest_page_);
            meter_.make_room(page * sizeof(std::uint64_t));
            part.pages.add_page(meter_, part.pages.next_page(words, largest_page_));
        }
        return part.pages.take(words);
    }

    void room(std::size_t words) {
        if (memory_.words() < words) {
            memory_ = WordBuffer();
            memory_ = WordBuffer(meter_, words + words / 2);
        }
    }

    void relieve(std::size_t bytes) override {
        while (!meter_.has_room(bytes)) {
            const std::size_t index = largest_unpinned();
            if (index == kNone) {
                free_scratch();
                return;
            }
            if (!combined_well(index)) {
                spill(index);
            }
        }
    }

    std::size_t largest_unpinned() const {
        std::size_t most = 0;
        std::size_t found = kNone;
        for (std::size_t i = 0; i < kPartitions; ++i) {
            if (i != pinned_ && parts_[i].pages.words() > most) {
                most = parts_[i].pages.words();
                found = i;
            }
        }
        return found;
    }

    /// Combines a partition that is about to be spilled; returns whether that halved it. Where it does not,
    /// the next few are spilled as they are.
    bool combined_well(std::size_t index) {
        if (!combining_ || pinned_ != kNone) {
            return false;
        }
        if (useless_ > 0) {
            --useless_;
            return false;
        }
        const std::size_t before = parts_[index].pages.words();
        combine_partition(index);
        const bool well = parts_[index].pages.words() <= before / 2;
        useless_ = well ? 0 : kUselessPause;
        return well;
    }

    void spill(std::size_t index) {
        Part& part = parts_[index];
        spill_->write(index, part.pages, [](const std::uint64_t* record) { return R::words(record); });
        part.pages.clear();
        part.limit = kSmallestLimit;
    }

    /// Runs `action`; returns whether the budget had room for it. Where it had not, that left no trace.
    template <class Action>
    bool attempt(Action&& action) {
        const std::uint64_t combined = combined_;
        try {
            action();
            return true;
        } catch (const OverBudget&) {
            combined_ = combined;
            free_scratch();
            return false;
        }
    }

    void free_scratch() {
        if (!scratch_in_use_) {
            memory_ = WordBuffer();
            scratch_ = Block<Key, Value>(meter_);
        }
    }

    /// Whether half of the budget has room for the records of a partition in both forms, as they came and
    /// converted.
    bool promising(std::size_t words) const {
        return words * sizeof(std::uint64_t) * 2 <= meter_.budget() / 2;
    }

    /// Brings the spilled records of a partition to the others of it in memory; returns whether all are
    /// there.
    bool fetched(std::size_t index) {
        if (spill_->empty(index)) {
            return true;
        }
        Part& part = parts_[index];
        if (!promising(spill_->words(index) + part.pages.words())) {
            return false;
        }
        return attempt(
            [&] { spill_->take_blocks(index, [&](std::size_t words) { return room_in(part, words); }); });
    }

    /// Converts and reduces the records of ranges [first, last) of hashes of a partition that is in the file.
    template <class Convert, class Reduce>
    void process_ranges(std::size_t index, std::size_t first, std::size_t last, Convert& convert,
                        Reduce& reduce) {
        Part& part = parts_[index];
        const std::size_t width = last - first;
        const bool splits = width > 1;
        if (!splits || promising(spill_->words(index) / kRanges * width)) {
            const auto read_and_convert = [&] {
                read_range(index, first, last);
                convert(part.pages);
            };
            const bool fits = splits ? attempt(read_and_convert) : (read_and_convert(), true);
            if (fits) {
                reduce(part.pages);
            }
            part.pages.clear();
            part.limit = kSmallestLimit;
            if (fits) {
                return;
            }
        }
        process_ranges(index, first, first + width / 2, convert, reduce);
        process_ranges(index, first + width / 2, last, convert, reduce);
    }

    void read_range(std::size_t index, std::size_t first, std::size_t last) {
        spill_->for_each_block(index, [&](const std::uint64_t* at, std::size_t words) {
            for (const std::uint64_t* end = at + words; at != end;) {
                const std::size_t length = R::words(at);
                const std::size_t range = (R::hash(at) >> 16U) % kRanges;
                if (range >= first && range < last) {
                    add(at, length);
                }
                at += length;
            }
        });
    }

    MemoryMeter& meter_;
    Combine& combiner_;
    bool combining_;
    std::size_t largest_page_;
    std::uint64_t combined_ = 0;
    std::array<Part, kPartitions> parts_;
    Block<Key, Value> scratch_;
    WordBuffer memory_;
    std::optional<SpilledPartitions> spill_;
    std::size_t pinned_ = kNone;  ///< partition in use
    bool scratch_in_use_ = false;
    int useless_ = 0;  ///< partitions to spill without trying to combine them
};

}  // namespace kvasir::detail
