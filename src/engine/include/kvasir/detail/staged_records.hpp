#pragma once
// Records of one rank between its map and the exchange, where all must be seen before the first can go.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include "kvasir/detail/hash.hpp"
#include "kvasir/detail/ranges.hpp"

namespace kvasir::detail {

/// Queue of records in pages, each of which is freed when its records have gone; with a random sample.
class StagedRecords {
  public:
    explicit StagedRecords(std::size_t samples) : samples_(std::max<std::size_t>(1, samples)) {}

    void add(std::string_view key, std::string_view value) {
        if (hash_words(number_++, 0) < threshold_) {
            keep(key, value);
        }
        const std::size_t bytes = 2 * sizeof(std::uint64_t) + key.size() + value.size();
        if (pages_.empty() || pages_.back().capacity() - pages_.back().size() < bytes) {
            pages_.emplace_back();
            pages_.back().reserve(std::max(kPage, bytes));
        }
        append(key.size());
        append(value.size());
        pages_.back().insert(pages_.back().end(), key.begin(), key.end());
        pages_.back().insert(pages_.back().end(), value.begin(), value.end());
    }

    const Sample& sample() const { return sample_; }

    /// Passes all records to send(key, value) in the order they came, and calls go_on() now and then, which
    /// returns false to stop.
    template <class Send, class GoOn>
    void drain(Send&& send, GoOn&& go_on) {
        constexpr std::size_t often = 1024;
        std::size_t until = often;
        for (; !pages_.empty(); pages_.pop_front()) {
            const std::vector<char>& page = pages_.front();
            for (std::size_t at = 0; at != page.size();) {
                std::uint64_t sizes[2];
                std::memcpy(sizes, page.data() + at, sizeof(sizes));
                const char* key = page.data() + at + sizeof(sizes);
                send(std::string_view(key, sizes[0]), std::string_view(key + sizes[0], sizes[1]));
                at += sizeof(sizes) + sizes[0] + sizes[1];
                if (--until == 0) {
                    until = often;
                    if (!go_on()) {
                        return;
                    }
                }
            }
        }
    }

  private:
    static constexpr std::size_t kPage = std::size_t{1} << 20U;
    static constexpr std::size_t kHead = 64;  ///< bytes of keys and values that are enough to range by

    void append(std::uint64_t number) {
        const auto* bytes = reinterpret_cast<const char*>(&number);
        pages_.back().insert(pages_.back().end(), bytes, bytes + sizeof(number));
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

    std::size_t samples_;
    std::deque<std::vector<char>> pages_;
    Sample sample_;
    std::vector<std::uint64_t> numbers_;  ///< of the records in the sample
    std::uint64_t number_ = 0;
    std::uint64_t threshold_ = UINT64_MAX;
};

}  // namespace kvasir::detail
