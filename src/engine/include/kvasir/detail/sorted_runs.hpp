#pragma once
// Sorted records that a rank's memory budget has no room for: runs in a file, merged when they are read.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kvasir/detail/packed_block.hpp"
#include "kvasir/detail/spill_file.hpp"
#include "kvasir/memory.hpp"
#include "kvasir/stats.hpp"

namespace kvasir::detail {

/// Returns the first bytes of a key as a number that compares as the bytes do.
inline std::uint64_t prefix_of(std::string_view key) {
    std::uint64_t bytes = 0;
    if (!key.empty()) {
        std::memcpy(&bytes, key.data(), std::min<std::size_t>(key.size(), 8));
    }
    return __builtin_bswap64(bytes);
}

/// Returns whether a record comes before another one, by key and then by value, byte by byte.
inline bool comes_before(const PackedRecord& record, const PackedRecord& other) {
    const int order = record.key.compare(other.key);
    return order != 0 ? order < 0 : record.value < other.value;
}

/// Records in order, one at a time. It has a first one.
class SortedSource {
  public:
    SortedSource() = default;
    SortedSource(const SortedSource&) = delete;
    SortedSource& operator=(const SortedSource&) = delete;
    virtual ~SortedSource() = default;

    /// Goes on to the next record; returns false at the end. Throws Error.
    virtual bool next() = 0;
    const PackedRecord& record() const { return record_; }
    bool comes_before(const SortedSource& other) const {
        if (prefix_ != other.prefix_) [[likely]] {
            return prefix_ < other.prefix_;
        }
        return detail::comes_before(record_, other.record_);
    }

  protected:
    void set(const PackedRecord& record) {
        record_ = record;
        prefix_ = prefix_of(record.key);
    }

  private:
    std::uint64_t prefix_ = 0;
    PackedRecord record_;
};

/// Calls visit(record) with the records of all sources in order.
template <class Visit>
void merge(std::vector<SortedSource*> sources, Visit&& visit) {
    const auto later = [](const SortedSource* a, const SortedSource* b) { return b->comes_before(*a); };
    std::make_heap(sources.begin(), sources.end(), later);
    while (!sources.empty()) {
        SortedSource* const first = sources.front();
        visit(first->record());
        if (!first->next()) {
            std::pop_heap(sources.begin(), sources.end(), later);
            sources.pop_back();
            continue;
        }
        // Sinks to where it belongs now; most often that is not far.
        std::size_t at = 0;
        for (std::size_t child = 1; child < sources.size(); child = 2 * at + 1) {
            if (child + 1 < sources.size() && later(sources[child], sources[child + 1])) {
                ++child;
            }
            if (!later(first, sources[child])) {
                break;
            }
            sources[at] = sources[child];
            at = child;
        }
        sources[at] = first;
    }
}

/// Runs of sorted records in a file without a name. Every block of it is a PackedBlock.
class SortedRuns {
  public:
    class Reader;

    /// Opens a file in `folder`. Throws Error.
    SortedRuns(MemoryMeter& meter, const std::string& folder)
        : meter_(meter),
          file_(meter, folder, block_words(meter.budget())),
          memory_(meter, file_.block_words()),
          block_(meter) {}

    bool empty() const { return runs_.empty(); }
    /// Returns the bytes of the records, once each, and those of the file, where some were written again.
    Spilled spilled() const { return {bytes_, file_.bytes()}; }

    /// Sees to it that a record of `words` words can be written. Takes metered memory.
    void expect(std::size_t words) {
        if (words > memory_.words()) {
            memory_ = WordBuffer();
            memory_ = WordBuffer(meter_, words);
        }
    }

    /// Writes the records of sources as a run, in order. Takes no metered memory. Throws Error.
    void write(std::vector<SortedSource*> sources) {
        runs_.push_back(write_run(std::move(sources), 0));
        bytes_ += runs_.back().bytes;
    }

    /// Merges the youngest runs to one where there are so many alike that reading all at once would take much
    /// of the budget. Takes metered memory, an eighth of the budget. Throws Error.
    void limit() {
        for (;;) {
            const unsigned level = runs_.empty() ? 0 : runs_.back().level;
            const auto alike = static_cast<std::size_t>(std::count_if(
                runs_.begin(), runs_.end(), [&](const Run& run) { return run.level == level; }));
            const std::size_t first = runs_.size() - alike;
            if (alike < kFanIn || !meter_.has_room(reading_bytes(first, runs_.size()))) {
                return;
            }
            merge_runs(first, runs_.size());
        }
    }

    /// Whether the budget has room to read all runs at once.
    bool readable() const { return meter_.has_room(reading_bytes(0, runs_.size())); }

    /// Merges runs, as many at a time as the budget has room for, until it has room to read all at once.
    /// Throws OverBudget where it has none for two.
    void make_readable() {
        while (!readable() && runs_.size() > 1) {
            std::size_t last = 2;
            while (last < runs_.size() && meter_.has_room(reading_bytes(0, last + 1))) {
                ++last;
            }
            merge_runs(0, last);
        }
    }

  private:
    struct Run {
        std::vector<SpillBlock> blocks;
        std::size_t longest = 0;  ///< words of a block
        std::uint64_t bytes = 0;  ///< of its records
        unsigned level = 0;       ///< how often they were merged
    };

    class RunSource final : public SortedSource {
      public:
        RunSource(MemoryMeter& meter, SpillFile& file, const Run& run)
            : file_(file), run_(run), memory_(meter, run.longest) {
            (void)next();
        }

        bool next() override {
            if (at_ == end_) {
                if (block_ == run_.blocks.size()) {
                    return false;
                }
                file_.read(run_.blocks[block_++], memory_.data());
                at_ = reinterpret_cast<const char*>(memory_.data() + 1);
                end_ = at_ + memory_.data()[0];
            }
            const PackedRecord record = PackedRecord::at(at_);
            at_ = record.value.data() + record.value.size();
            set(record);
            return true;
        }

      private:
        SpillFile& file_;
        const Run& run_;
        WordBuffer memory_;
        std::size_t block_ = 0;
        const char* at_ = nullptr;
        const char* end_ = nullptr;
    };

    static constexpr std::size_t kFanIn = 32;

    static std::size_t block_words(std::size_t budget) {
        return std::clamp<std::size_t>(budget / (8 * kFanIn), 256, 256U << 10U) / sizeof(std::uint64_t);
    }

    std::size_t reading_bytes(std::size_t first, std::size_t last) const {
        std::size_t words = 0;
        for (std::size_t i = first; i < last; ++i) {
            words += runs_[i].longest;
        }
        return words * sizeof(std::uint64_t);
    }

    /// Puts runs [first, last) together to one, which is the youngest then.
    void merge_runs(std::size_t first, std::size_t last);

    Run write_run(std::vector<SortedSource*> sources, unsigned level) {
        Run run;
        run.level = level;
        block_.attach(memory_.data(), file_.block_words());
        merge(std::move(sources), [&](const PackedRecord& record) {
            if (block_.append(record.key, record.value) == Put::full) {
                write_block(run);
                if (block_.append(record.key, record.value) == Put::full) {
                    PackedBlock::write(record.key, record.value, memory_.data());
                    write_words(run, PackedBlock::words_of(record.key, record.value));
                }
            }
        });
        write_block(run);
        return run;
    }

    void write_block(Run& run) {
        if (block_.used() != 0) {
            block_.squeeze();
            write_words(run, block_.used());
            block_.clear();
        }
    }

    void write_words(Run& run, std::size_t words) {
        run.blocks.push_back(file_.write(memory_.data(), words));
        run.longest = std::max(run.longest, words);
        run.bytes += memory_.data()[0];
    }

    MemoryMeter& meter_;
    SpillFile file_;
    WordBuffer memory_;  ///< a block, or the longest record
    PackedBlock block_;
    std::vector<Run> runs_;
    std::uint64_t bytes_ = 0;
};

/// Reads runs. Takes metered memory. Throws Error.
class SortedRuns::Reader {
  public:
    explicit Reader(SortedRuns& runs) : Reader(runs, 0, runs.runs_.size()) {}
    Reader(SortedRuns& runs, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            sources_.push_back(std::make_unique<RunSource>(runs.meter_, runs.file_, runs.runs_[i]));
        }
    }
    std::vector<SortedSource*> sources() const {
        std::vector<SortedSource*> all;
        for (const auto& source : sources_) {
            all.push_back(source.get());
        }
        return all;
    }

  private:
    std::vector<std::unique_ptr<RunSource>> sources_;
};

inline void SortedRuns::merge_runs(std::size_t first, std::size_t last) {
    Run merged;
    {
        const Reader reader(*this, first, last);
        merged = write_run(reader.sources(), runs_[first].level + 1);
    }
    runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(first),
                runs_.begin() + static_cast<std::ptrdiff_t>(last));
    runs_.push_back(std::move(merged));
}

}  // namespace kvasir::detail
