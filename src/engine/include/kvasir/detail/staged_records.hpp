#pragma once
// Records of one rank between its map and the exchange, where all must be seen before the first can go.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kvasir/detail/hash.hpp"
#include "kvasir/detail/packed_block.hpp"
#include "kvasir/detail/ranges.hpp"
#include "kvasir/detail/spill_file.hpp"
#include "kvasir/memory.hpp"
#include "kvasir/stats.hpp"

namespace kvasir::detail {

/// Records in pages, each of which is freed when its records have gone; with a random sample. With a folder
/// to spill to, pages that the budget has no room for are there.
class StagedRecords final : private MemoryRelief {
  public:
    StagedRecords(MemoryMeter& meter, std::size_t samples)
        : meter_(meter), samples_(std::max<std::size_t>(1, samples)), block_(meter) {}

    /// Spills what the meter's budget has no room for to a file in `folder`. Throws Error.
    void spill_to(const std::string& folder) {
        file_.emplace(meter_, folder, page_words());
        relieve_from_now_on(meter_);
    }

    void add(std::string_view key, std::string_view value) {
        if (hash_words(number_++, 0) < threshold_) {
            keep(key, value);
        }
        if (block_.append(key, value) == Put::full) {
            close_page();
            open_ = WordBuffer(meter_, std::max(page_words(), PackedBlock::words_of(key, value)));
            block_.attach(open_.data(), open_.words());
            (void)block_.append(key, value);
        }
    }

    const Sample& sample() const { return sample_; }
    Spilled spilled() const { return file_ ? Spilled{spilled_, file_->bytes()} : Spilled{}; }

    /// Passes all records to send(key, value) in no particular order, and calls go_on() now and then, which
    /// returns false to stop. To be called once, when all are added. Throws Error.
    template <class Send, class GoOn>
    void drain(Send&& send, GoOn&& go_on) {
        close_page();
        while (!pages_.empty()) {
            const WordBuffer page = std::move(pages_.back());
            pages_.pop_back();
            used_.pop_back();
            if (!pass(page.data(), send, go_on)) {
                return;
            }
        }
        WordBuffer page;
        for (const SpillBlock& block : blocks_) {
            if (page.words() < block.words) {
                page = WordBuffer();
                page = WordBuffer(meter_, block.words);
            }
            file_->read(block, page.data());
            if (!pass(page.data(), send, go_on)) {
                return;
            }
        }
    }

  private:
    static constexpr std::size_t kHead = 64;  ///< bytes of keys and values that are enough to range by

    std::size_t page_words() const { return std::clamp<std::size_t>(meter_.budget() / 512, 32, 1U << 17U); }

    /// Passes the records of a page on; returns whether to go on.
    template <class Send, class GoOn>
    static bool pass(const std::uint64_t* page, Send& send, GoOn& go_on) {
        constexpr std::size_t often = 1024;
        std::size_t until = often;
        bool wanted = true;
        (void)PackedBlock::for_each(page, [&](const char* /*at*/, const PackedRecord& record) {
            if (wanted) {
                send(record.key, record.value);
                if (--until == 0) {
                    until = often;
                    wanted = go_on();
                }
            }
        });
        return wanted && go_on();
    }

    /// Puts the open page to the others.
    void close_page() {
        if (block_.used() != 0) {
            block_.squeeze();
            used_.push_back(block_.used());
            pages_.push_back(std::move(open_));
        }
        block_.attach(nullptr, 0);
    }

    void relieve(std::size_t bytes) override {
        while (!pages_.empty() && !meter_.has_room(bytes)) {
            blocks_.push_back(file_->write(pages_.back().data(), used_.back()));
            spilled_ += pages_.back().data()[0];
            pages_.pop_back();
            used_.pop_back();
        }
    }

    /// Every record is sampled with the same probability, which is halved whenever there are too many.
    void keep(std::string_view key, std::string_view value) {
        sample_.heads.emplace_back(key.substr(0, kHead), value.substr(0, kHead));
        numbers_.push_back(number_ - 1);
        if (sample_.heads.size() < 2 * samples_) {
            return;
        }
        threshold_ /= 2;
        sample_.weight *= 2;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < numbers_.size(); ++i) {
            if (hash_words(numbers_[i], 0) < threshold_) {
                std::swap(sample_.heads[kept], sample_.heads[i]);
                numbers_[kept++] = numbers_[i];
            }
        }
        sample_.heads.resize(kept);
        numbers_.resize(kept);
    }

    MemoryMeter& meter_;
    std::size_t samples_;
    std::vector<WordBuffer> pages_;
    std::vector<std::size_t> used_;  ///< words of each
    WordBuffer open_;                ///< page that records are added to
    PackedBlock block_;
    std::optional<SpillFile> file_;
    std::vector<SpillBlock> blocks_;
    std::uint64_t spilled_ = 0;
    Sample sample_;
    std::vector<std::uint64_t> numbers_;  ///< of the records in the sample
    std::uint64_t number_ = 0;
    std::uint64_t threshold_ = UINT64_MAX;
};

}  // namespace kvasir::detail
