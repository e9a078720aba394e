#pragma once
// Records of one rank that its memory budget has no room for, by partition, in a file.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "kvasir/detail/record_pages.hpp"
#include "kvasir/detail/spill_file.hpp"
#include "kvasir/memory.hpp"
#include "kvasir/stats.hpp"

namespace kvasir::detail {

/// Spilled records of all partitions. Every block holds whole records.
class SpilledPartitions {
  public:
    /// Opens a file in `folder`. Buffers take about a fortieth of the budget of `meter`. Throws Error.
    SpilledPartitions(MemoryMeter& meter, const std::string& folder, std::size_t partitions)
        : meter_(meter),
          file_(meter, folder, block_words(meter.budget())),
          gathered_(meter, file_.block_words()),
          read_(meter, file_.block_words()),
          parts_(partitions) {}

    bool empty(std::size_t part) const { return parts_[part].blocks.empty(); }
    std::size_t words(std::size_t part) const { return parts_[part].words; }
    Spilled spilled() const { return {bytes_, file_.bytes()}; }

    /// Appends records to a partition. `words_of(record)` is the length of a record. Takes no metered memory.
    template <class WordsOf>
    void write(std::size_t part, const RecordPages& pages, WordsOf&& words_of) {
        std::size_t gathered = 0;
        const auto gather = [&](const std::uint64_t* from, std::size_t words) {
            if (gathered + words > file_.block_words()) {
                write_block(part, gathered_.data(), gathered);
                gathered = 0;
            }
            if (words > file_.block_words()) {
                write_block(part, from, words);
            } else {
                std::memcpy(gathered_.data() + gathered, from, words * sizeof(std::uint64_t));
                gathered += words;
            }
        };
        pages.for_each_page([&](const std::uint64_t* at, std::size_t words) {
            const std::uint64_t* end = at + words;
            while (at != end) {
                // Whole records, as many as a block has room for.
                auto length = static_cast<std::size_t>(end - at);
                if (length > file_.block_words()) {
                    length = words_of(at);
                    while (at + length != end && length + words_of(at + length) <= file_.block_words()) {
                        length += words_of(at + length);
                    }
                }
                gather(at, length);
                at += length;
            }
        });
        write_block(part, gathered_.data(), gathered);
    }

    /// Calls visit(const std::uint64_t* records, std::size_t words) for every block of a partition.
    template <class Visit>
    void for_each_block(std::size_t part, Visit&& visit) {
        for (const SpillBlock& block : parts_[part].blocks) {
            WordBuffer long_record;
            std::uint64_t* to = read_.data();
            if (block.words > read_.words()) {
                long_record = WordBuffer(meter_, block.words);
                to = long_record.data();
            }
            file_.read(block, to);
            visit(static_cast<const std::uint64_t*>(to), block.words);
        }
    }

    /// Moves the blocks of a partition, one after the other, to where room(words) says. Where room throws,
    /// the blocks that have been moved are no longer here, and the others still are.
    template <class Room>
    void take_blocks(std::size_t part, Room&& room) {
        Part& from = parts_[part];
        while (!from.blocks.empty()) {
            const SpillBlock block = from.blocks.back();
            file_.read(block, room(block.words));
            from.blocks.pop_back();
            from.words -= block.words;
        }
    }

    /// Forgets the records of a partition.
    void drop(std::size_t part) { parts_[part] = Part(); }

  private:
    struct Part {
        std::vector<SpillBlock> blocks;
        std::size_t words = 0;
    };

    static std::size_t block_words(std::size_t budget) {
        return std::clamp<std::size_t>(budget / 128, 2U << 10U, 256U << 10U) / sizeof(std::uint64_t);
    }

    void write_block(std::size_t part, const std::uint64_t* data, std::size_t words) {
        if (words != 0) {
            parts_[part].blocks.push_back(file_.write(data, words));
            parts_[part].words += words;
            bytes_ += words * sizeof(std::uint64_t);
        }
    }

    MemoryMeter& meter_;
    SpillFile file_;
    WordBuffer gathered_;
    WordBuffer read_;
    std::vector<Part> parts_;
    std::uint64_t bytes_ = 0;
};

}  // namespace kvasir::detail
