#pragma once
// Container of received records, partitioned by some bits of the hash, so that combining and grouping work on
// one partition at a time, which fits the cache.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kvasir/callables.hpp"
#include "kvasir/detail/growing_block.hpp"
#include "kvasir/detail/record.hpp"
#include "kvasir/detail/record_pages.hpp"
#include "kvasir/detail/spill.hpp"
#include "kvasir/detail/spilled_ranges.hpp"
#include "kvasir/detail/value_lists.hpp"
#include "kvasir/memory.hpp"
#include "kvasir/stats.hpp"
#include "kvasir/values.hpp"

namespace kvasir::detail {

/// Refuses what the budget has no room for, in place of a Stream. A Stream is called as stream(record,
/// values) with the begin of a record, its hash and key, and all values of that key.
struct Refuse {};

/// Container of received records. With `combining` set, records of equal key are combined whenever a
/// partition has grown to a few times what was left of it the last time, so that memory follows the distinct
/// keys. What was combined stays in a table with an index, unless there is a budget: then it becomes records
/// like all others, which may be spilled. With a folder to spill to, the largest partition goes there
/// whenever the budget has no room.
template <class Key, class Value, class Combine>
class RadixStore final : private MemoryRelief {
    using R = RecordTraits<Key, Value>;
    using Ranges = SpilledRanges<Key, Value>;

  public:
    using Lists = ValueLists<Key, Value>;
    static constexpr std::size_t kPartitions = 256;

    RadixStore(MemoryMeter& meter, Combine& combiner, bool combining)
        : meter_(meter),
          combiner_(combiner),
          combining_(combining),
          largest_page_(page_words(meter, combining)),
          smallest_limit_(combining ? limit_words(meter) : SIZE_MAX) {
        for (Part& part : parts_) {
            part.limit = smallest_limit_;
        }
    }

    /// Spills what the meter's budget has no room for to a file in `folder`. Throws Error.
    void spill_to(const std::string& folder) {
        spill_.emplace(meter_, folder, kPartitions);
        relieve_from_now_on(meter_);
    }
    Spilled spilled() const { return spill_ ? spill_->spilled() : Spilled{}; }

    /// Groups the records of frequent keys from now on while they arrive: process() has those of the other
    /// keys only. For stores that neither combine nor spill.
    void group_on_arrival() {
        if constexpr (Lists::kTakesAny) {
            lists_.emplace(meter_);
        }
    }
    bool groups_on_arrival() const { return lists_.has_value(); }

    /// Takes a record of a short key as a value of its list; returns whether that key has one. `route` and
    /// `ship` are those of ValueLists, `emitted` how many there were before. Gives the lists up if few keys
    /// have come again when they get no more keys: looking for them would cost more than they save.
    template <class Route, class Ship>
    bool list(const KeyCode& key, const Value& value, std::uint64_t emitted, Route&& route, Ship&& ship) {
        if (lists_->add(key, value, route, ship)) [[likely]] {
            return true;
        }
        if (!weighed_ && lists_->full()) [[unlikely]] {
            weighed_ = true;
            if (!lists_->worthwhile(emitted)) {
                lists_->flush(ship);
                unlist();
            }
        }
        return false;
    }
    /// Calls ship() with the values that are left of other ranks' keys.
    template <class Ship>
    void flush_lists(Ship&& ship) {
        if (lists_) {
            lists_->flush(ship);
        }
    }
    /// Takes what other ranks' stores have shipped of their lists; returns the number of records in it.
    std::uint64_t take_lists(WordBuffer shipped) {
        const auto write_all = [&](const KeyCode& key, std::span<const Value> values) {
            for (const Value& value : values) {
                write(key, value);
            }
        };
        if (lists_) {
            return lists_->take(std::move(shipped), write_all);
        }
        return Lists::for_each_shipped(
            shipped.data(), shipped.words(),
            [&](const KeyCode& key, const std::uint64_t* piece) { write_all(key, Lists::values_of(piece)); });
    }

    /// Calls visit(record, values) for every key that was grouped on arrival; `record` is the begin of one.
    template <class Visit>
    void for_each_list(Visit&& visit) const {
        if constexpr (Lists::kTakesAny) {
            if (lists_) {
                lists_->for_each(visit);
            }
        }
    }

    MemoryMeter& meter() const { return meter_; }
    std::uint64_t combined() const { return combined_; }
    bool combining() const { return combining_; }

    static std::size_t partition_of(std::uint64_t hash) { return (hash >> 24U) % kPartitions; }
    /// Returns all records of a partition.
    RecordPages& partition(std::size_t index) {
        Part& part = parts_[index];
        if (part.combined) {
            part.combined->give_to(part.pages);
            part.combined.reset();
        }
        return part.pages;
    }

    /// Copies the records in `words` words at `data`; returns their number.
    std::uint64_t ingest(const std::uint64_t* data, std::size_t words) {
        std::uint64_t records = 0;
        for (const std::uint64_t* end = data + words; data != end; ++records) {
            prefetch_behind(data);
            const std::size_t length = R::words(data);
            add(data, length);
            data += length;
        }
        return records;
    }

    /// Copies one record.
    void add(const std::uint64_t* record, std::size_t words) {
        if constexpr (Lists::kTakesAny) {
            if (lists_ && lists_->add(record)) {
                return;
            }
        }
        Part& part = parts_[partition_of(R::hash(record))];
        copy_words(room_in(part, words), record, words);
        if (part.pages.words() >= part.limit) [[unlikely]] {
            combine_arrived(partition_of(R::hash(record)));
        }
    }

    /// Calls convert(pages) and then reduce(pages) with all records of a partition, and drops them; or, where
    /// the budget has no room for all, several times with the records of a range of hashes. Where convert
    /// throws OverBudget it is called again with fewer records. Records of a key for which the budget has no
    /// room go to `stream` (see Refuse), if that is given. For stores that do not combine.
    template <class Convert, class Reduce, class Stream = Refuse>
    void process(std::size_t index, Convert&& convert, Reduce&& reduce, Stream&& stream = {}) {
        RecordPages& pages = parts_[index].pages;
        const Pin pin(*this, index);
        if (!spill_) {
            convert(pages);
        } else if (!fetched(index) || !attempt([&] { convert(pages); })) {
            spill(index);
            process_spilled(index, convert, reduce, stream);
            spill_->drop(index);
            return;
        }
        reduce(pages);
        pages.clear();
    }

    /// Does the same with the combined records of a partition.
    template <class Reduce>
    void process_combined(std::size_t index, Reduce&& reduce) {
        process(
            index, [&](const RecordPages& /*pages*/) { combine_partition(index); }, reduce);
    }

    /// Combines all records of equal key of one partition.
    void combine_partition(std::size_t index) {
        if constexpr (!std::is_same_v<Combine, NoCombine>) {
            const Pin pin(*this, index);
            combine(parts_[index]);
            free_pages_.clear();
            partition(index);
        }
    }

  private:
    static constexpr std::size_t kSmallUnique = 16384;  // words: below, time is worth more than memory
    static constexpr std::size_t kNone = kPartitions;
    static constexpr int kUselessPause = 8;

    struct Part {
        std::size_t limit;  ///< words of `pages` from which on they are combined
        RecordPages pages;
        std::unique_ptr<GrowingBlock<Key, Value>> combined;
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

    /// Small enough pages that all partitions' unused ends are a small part of the budget, or that they are
    /// soon used again.
    static std::size_t page_words(const MemoryMeter& meter, bool combining) {
        constexpr std::size_t smallest = 64;
        constexpr std::size_t largest_recycled = 4096;
        if (meter.has_budget()) {
            return std::clamp(meter.budget() / (64 * kPartitions), smallest, RecordPages::kLargestPage);
        }
        return combining ? largest_recycled : RecordPages::kLargestPage;
    }

    /// With its index about one L1 cache, or a small part of the budget.
    static std::size_t limit_words(const MemoryMeter& meter) {
        constexpr std::size_t smallest = 64;
        constexpr std::size_t most = 4096;
        return std::clamp(meter.budget() / (32 * sizeof(std::uint64_t)), smallest, most);
    }

    /// Makes records of the lists again.
    void unlist() {
        lists_->for_each([&](const std::uint64_t* begin, const Values<Value>& values) {
            const KeyCode key = KeyTraits<Key>::recode(R::hash(begin), R::key_zone(begin));
            values.for_each([&](const Value& value) { write(key, value); });
        });
        lists_.reset();
    }

    /// Writes a record into its partition.
    void write(const KeyCode& key, const Value& value) {
        R::write(key, value, room_in(parts_[partition_of(key.hash)], R::words_of(key, value)));
    }

    std::uint64_t* room_in(Part& part, std::size_t words) {
        if (!part.pages.fits(words)) [[unlikely]] {
            add_page(part, words);
        }
        std::uint64_t* const room = part.pages.take(words);
        __builtin_prefetch(room + words + 8, 1);  // where the next records of this partition go
        return room;
    }

    [[gnu::noinline]] void add_page(Part& part, std::size_t words) {
        if (part.combined && words <= largest_page_) {  // it will fill more than one, again and again
            if (free_pages_.empty()) {
                free_pages_.emplace_back(meter_, largest_page_);
            }
            part.pages.adopt(std::move(free_pages_.back()), 0);
            free_pages_.pop_back();
            return;
        }
        // First room, which may cost this very partition its pages; then its page, which gets no longer.
        const std::size_t page = part.pages.next_page(words, largest_page_);
        meter_.make_room(page * sizeof(std::uint64_t));
        part.pages.add_page(meter_, part.pages.next_page(words, largest_page_));
    }

    [[gnu::noinline]] void combine_arrived(std::size_t index) {
        if constexpr (!std::is_same_v<Combine, NoCombine>) {
            if (meter_.has_budget()) {
                combine_partition(index);
            } else {
                combine(parts_[index]);
            }
        }
    }

    /// Combines the records of a partition's pages with each other and with those that were combined before.
    /// Where the budget has no room for that, they are as they were.
    void combine(Part& part) {
        if (part.pages.words() == 0) {
            return;
        }
        auto table = std::move(part.combined);
        if (!table) {
            table = std::make_unique<GrowingBlock<Key, Value>>(meter_, part.pages.words());
        }
        combined_ += table->combine_all(part.pages, combiner_);
        const std::size_t unique = table->block().used();
        const std::size_t factor = unique < kSmallUnique ? 3 : 1;
        part.limit = std::max(smallest_limit_, (meter_.has_budget() ? factor + 1 : factor) * unique);
        part.pages.clear_to(free_pages_, largest_page_);
        part.combined = std::move(table);
    }

    void relieve(std::size_t bytes) override {
        while (!meter_.has_room(bytes)) {
            const std::size_t index = largest_unpinned();
            if (index == kNone) {
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
        part.limit = smallest_limit_;
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
            return false;
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

    /// Converts and reduces the records of a partition that is in the file, as many ranges at a time as are
    /// likely to fit.
    template <class Convert, class Reduce, class Stream>
    void process_spilled(std::size_t index, Convert& convert, Reduce& reduce, Stream& stream) {
        const Ranges ranges(meter_, *spill_, index);
        const auto sizes = ranges.sizes();
        for (std::size_t first = 0; first < Ranges::kRanges;) {
            std::size_t last = first;
            std::size_t words = 0;
            do {
                words += sizes[last++];
            } while (last < Ranges::kRanges && promising(words + sizes[last]));
            if (words != 0) {
                process_ranges(ranges, index, first, last, promising(words), convert, reduce, stream);
            }
            first = last;
        }
    }

    /// Converts and reduces the records of ranges [first, last) of hashes of a partition that is in the file.
    template <class Convert, class Reduce, class Stream>
    void process_ranges(const Ranges& ranges, std::size_t index, std::size_t first, std::size_t last,
                        bool likely, Convert& convert, Reduce& reduce, Stream& stream) {
        constexpr bool streams = !std::is_same_v<Stream, Refuse>;
        Part& part = parts_[index];
        const std::size_t width = last - first;
        const auto read_and_convert = [&] {
            ranges.for_each(first, last,
                            [&](const std::uint64_t* record, std::size_t words) { add(record, words); });
            convert(part.pages);
        };
        bool fits = false;
        if (width == 1 && !streams) {
            read_and_convert();  // or throws
            fits = true;
        } else if (likely) {
            fits = attempt(read_and_convert);
        }
        if (fits) {
            reduce(part.pages);
        }
        part.pages.clear();
        part.limit = smallest_limit_;
        if (fits) {
            return;
        }
        if (width > 1) {
            process_ranges(ranges, index, first, first + width / 2, true, convert, reduce, stream);
            process_ranges(ranges, index, first + width / 2, last, true, convert, reduce, stream);
        } else if constexpr (streams) {
            stream_range(ranges, index, first, convert, reduce, stream);
        }
    }

    /// Streams the largest keys of a range, so many that the others fit, and processes those as always.
    template <class Convert, class Reduce, class Stream>
    void stream_range(const Ranges& ranges, std::size_t index, std::size_t range, Convert& convert,
                      Reduce& reduce, Stream& stream) {
        std::vector<KeySize> large = ranges.keys(range);
        std::sort(large.begin(), large.end(), [](const auto& a, const auto& b) { return a.words > b.words; });
        std::size_t rest = 0;
        std::size_t streamed = large.size();
        while (streamed > 1 && promising(rest + large[streamed - 1].words)) {
            rest += large[--streamed].words;
        }
        large.resize(streamed);
        for (const KeySize& key : large) {
            ranges.stream(key, stream);
        }
        if (rest == 0) {
            return;
        }
        ranges.for_each(range, range + 1, [&](const std::uint64_t* record, std::size_t words) {
            if (std::none_of(large.begin(), large.end(),
                             [&](const KeySize& key) { return R::same_key(record, key.key.data()); })) {
                add(record, words);
            }
        });
        RecordPages& pages = parts_[index].pages;
        convert(pages);
        reduce(pages);
        pages.clear();
    }

    MemoryMeter& meter_;
    Combine& combiner_;
    bool combining_;
    std::size_t largest_page_;
    std::size_t smallest_limit_;
    std::uint64_t combined_ = 0;
    std::array<Part, kPartitions> parts_;
    std::vector<WordBuffer> free_pages_;  ///< of the largest length, to be used again
    std::optional<SpilledPartitions> spill_;
    std::optional<Lists> lists_;
    bool weighed_ = false;        ///< the lists
    std::size_t pinned_ = kNone;  ///< partition in use
    int useless_ = 0;             ///< partitions to spill without trying to combine them
};

}  // namespace kvasir::detail
