#pragma once
// Container of records to be sorted: packed as they arrived, with 16 bytes each to sort by.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kvasir/detail/packed_block.hpp"
#include "kvasir/detail/radix_sort.hpp"
#include "kvasir/detail/sorted_runs.hpp"
#include "kvasir/memory.hpp"
#include "kvasir/stats.hpp"

namespace kvasir::detail {

/// Sorts by key, then value, byte by byte, so that the result does not depend on the order of arrival. With a
/// folder to spill to, records go there, sorted, whenever the budget has no room.
class SortStore final : private MemoryRelief {
  public:
    explicit SortStore(MemoryMeter& meter)
        : meter_(meter), entries_(MeteredAllocator<Entry>(meter)), own_(meter) {}

    /// Spills what the meter's budget has no room for to a file in `folder`. Throws Error.
    void spill_to(const std::string& folder) {
        runs_.emplace(meter_, folder);
        relieve_from_now_on(meter_);
    }
    Spilled spilled() const { return runs_ ? runs_->spilled() : Spilled{}; }

    /// Copies the records of a PackedBlock; returns their number.
    std::uint64_t ingest(const std::uint64_t* data, std::size_t words) {
        if (meter_.has_budget()) [[unlikely]] {
            make_room(data, words);
        }
        const InUse in_use(in_use_);
        WordBuffer page(meter_, words);
        std::memcpy(page.data(), data, words * sizeof(std::uint64_t));
        pages_.push_back(std::move(page));
        const std::uint64_t records =
            PackedBlock::for_each(pages_.back().data(), [&](const char* at, const PackedRecord& record) {
                entries_.push_back({prefix_of(record.key), at});
            });
        size_ += records;
        return records;
    }

    /// Copies one record.
    void add(std::string_view key, std::string_view value) {
        if (own_memory_.words() == 0) {
            own_memory_ = WordBuffer(meter_, std::clamp<std::size_t>(meter_.budget() / 512, 64, 1U << 15U));
            own_.attach(own_memory_.data(), own_memory_.words());
        }
        if (own_.append(key, value) == Put::full) [[unlikely]] {
            take_own();
            if (own_.append(key, value) == Put::full) {
                WordBuffer alone(meter_, PackedBlock::words_of(key, value));
                PackedBlock::write(key, value, alone.data());
                (void)ingest(alone.data(), alone.words());
            }
        }
    }

    void sort() {
        take_own();
        own_memory_ = WordBuffer();
        sort_entries();
    }

    std::uint64_t size() const { return size_; }

    /// Calls visit(record) for all records in order, once sort() has returned. Throws Error, also OverBudget.
    template <class Visit>
    void for_each(Visit&& visit) {
        if (!runs_ || runs_->empty()) {
            for (const Entry& entry : entries_) {
                visit(PackedRecord::at(entry.record));
            }
            return;
        }
        if (!runs_->readable()) {
            spill();
            release_entries();
        }
        const InUse in_use(in_use_);
        runs_->make_readable();
        const SortedRuns::Reader reader(*runs_);
        std::vector<SortedSource*> sources = reader.sources();
        std::optional<Resident> resident;
        if (!entries_.empty()) {
            sources.push_back(&resident.emplace(entries_));
        }
        merge(std::move(sources), visit);
    }

  private:
    struct Entry {
        std::uint64_t prefix;  ///< first bytes of the key, so that numbers compare as the bytes do
        const char* record;
    };

    /// Keeps what is in memory from being spilled.
    class InUse {
      public:
        explicit InUse(bool& flag) : flag_(flag), before_(flag) { flag_ = true; }
        ~InUse() { flag_ = before_; }
        InUse(const InUse&) = delete;
        InUse& operator=(const InUse&) = delete;

      private:
        bool& flag_;
        bool before_;
    };

    /// Sorted records in memory.
    class Resident final : public SortedSource {
      public:
        explicit Resident(const MeteredVector<Entry>& entries) : entries_(entries) { (void)next(); }

        bool next() override {
            if (at_ == entries_.size()) {
                return false;
            }
            set(PackedRecord::at(entries_[at_++].record));
            return true;
        }

      private:
        const MeteredVector<Entry>& entries_;
        std::size_t at_ = 0;
    };

    void sort_entries() {
        const auto before = [](const Entry& a, const Entry& b) {
            if (a.prefix != b.prefix) [[likely]] {
                return a.prefix < b.prefix;
            }
            return comes_before(PackedRecord::at(a.record), PackedRecord::at(b.record));
        };
        radix_sort(entries_.data(), entries_.data() + entries_.size(), before);
    }

    /// Sees to it that the budget has room for a block and its entries, so that adding them moves nothing.
    void make_room(const std::uint64_t* data, std::size_t words) {
        std::size_t longest = 0;
        const std::uint64_t records =
            PackedBlock::for_each(data, [&](const char* /*at*/, const PackedRecord& record) {
                longest = std::max(longest, PackedBlock::words_of(record.key, record.value));
            });
        const std::size_t most = meter_.budget() / 2 / sizeof(Entry);
        const std::size_t doubled = std::min(2 * entries_.capacity(), most);
        const bool grows = entries_.size() + records > entries_.capacity();
        const std::size_t entries = grows ? std::max<std::size_t>(entries_.size() + records, doubled) : 0;
        const std::size_t extra = (words + longest) * sizeof(std::uint64_t);
        if (runs_ && !meter_.has_room(extra + entries * sizeof(Entry))) {
            spill();
            if (grows) {
                release_entries();
            }
        }
        const InUse in_use(in_use_);
        if (runs_) {
            runs_->expect(longest);
        }
        if (grows) {
            const std::size_t needed = entries_.size() + records;
            const std::size_t wanted = std::max(needed, doubled);
            entries_.reserve(meter_.has_room(extra + wanted * sizeof(Entry)) ? wanted : needed);
        }
    }

    /// Makes the records in memory a run in the file.
    void spill() {
        if (entries_.empty()) {
            return;
        }
        sort_entries();
        {
            Resident resident(entries_);
            runs_->write({&resident});
        }
        entries_.clear();
        pages_.clear();
        const InUse in_use(in_use_);
        runs_->limit();
    }

    void relieve(std::size_t bytes) override {
        if (!in_use_) {
            spill();
            if (!meter_.has_room(bytes)) {
                release_entries();
            }
        }
    }

    void release_entries() { entries_ = MeteredVector<Entry>(entries_.get_allocator()); }

    void take_own() {
        if (own_.used() != 0) {
            own_.squeeze();
            (void)ingest(own_.data(), own_.used());
            own_.clear();
        }
    }

    MemoryMeter& meter_;
    std::vector<WordBuffer> pages_;
    MeteredVector<Entry> entries_;
    WordBuffer own_memory_;
    PackedBlock own_;  ///< records of this process, not yet among the others
    std::optional<SortedRuns> runs_;
    std::uint64_t size_ = 0;
    bool in_use_ = false;  ///< what is in memory, which is not spilled then
};

}  // namespace kvasir::detail
