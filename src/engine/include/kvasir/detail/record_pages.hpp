#pragma once
// Memory of one partition of records.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "kvasir/detail/record.hpp"
#include "kvasir/memory.hpp"

namespace kvasir::detail {

/// Records of one partition, in the order of their arrival.
class RecordPages {
  public:
    static constexpr std::size_t kLargestPage = std::size_t{1} << 15U;  ///< words, but for a longer record

    /// Returns room for `words` more words, to be filled by the caller.
    std::uint64_t* extend(MemoryMeter& meter, std::size_t words) {
        if (!fits(words)) [[unlikely]] {
            add_page(meter, next_page(words, kLargestPage));
        }
        return take(words);
    }

    /// The same in steps: whether the last page has room, the length of the one that would come next, that
    /// page, and room that must be there.
    bool fits(std::size_t words) const { return words <= free_; }
    std::size_t next_page(std::size_t words, std::size_t largest) const {
        return std::max(words, std::clamp(total_ / 8, kSmallestPage, largest));
    }
    void add_page(MemoryMeter& meter, std::size_t words) { adopt(WordBuffer(meter, words), 0); }
    /// Takes over memory with `words` words of records at its begin.
    void adopt(WordBuffer page, std::size_t words) {
        if (!pages_.empty()) {
            filled_.push_back(static_cast<std::size_t>(cursor_ - pages_.back().data()));
        }
        pages_.push_back(std::move(page));
        cursor_ = pages_.back().data() + words;
        free_ = pages_.back().words() - words;
        total_ += words;
    }
    std::uint64_t* take(std::size_t words) {
        std::uint64_t* at = cursor_;
        cursor_ += words;
        free_ -= words;
        total_ += words;
        return at;
    }

    /// Calls visit(const std::uint64_t* records, std::size_t words) for every page.
    template <class Visit>
    void for_each_page(Visit&& visit) const {
        for (std::size_t i = 0; i < pages_.size(); ++i) {
            const std::uint64_t* at = pages_[i].data();
            visit(at, i + 1 == pages_.size() ? static_cast<std::size_t>(cursor_ - at) : filled_[i]);
        }
    }

    /// Calls visit(const std::uint64_t* record) -> words of the record, for every record.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for_each_page([&](const std::uint64_t* at, std::size_t words) {
            for (const std::uint64_t* end = at + words; at != end;) {
                prefetch_behind(at);
                at += visit(at);
            }
        });
    }

    std::size_t words() const { return total_; }
    /// Drops all records.
    void clear() { *this = RecordPages(); }
    /// Does the same and gives pages of `words` words to `free`.
    void clear_to(std::vector<WordBuffer>& free, std::size_t words) {
        for (WordBuffer& page : pages_) {
            if (page.words() == words) {
                free.push_back(std::move(page));
            }
        }
        clear();
    }

  private:
    static constexpr std::size_t kSmallestPage = 64;

    std::uint64_t* cursor_ = nullptr;
    std::size_t free_ = 0;
    std::size_t total_ = 0;
    std::vector<WordBuffer> pages_;
    std::vector<std::size_t> filled_;  ///< words of all pages but the last
};

inline void copy_words(std::uint64_t* to, const std::uint64_t* from, std::size_t words) {
    if (words - 3 <= 1) [[likely]] {  // without a branch on three or four, which would be mispredicted
        const std::uint64_t last = from[words - 1];
        to[0] = from[0];
        to[1] = from[1];
        to[2] = from[2];
        to[words - 1] = last;
    } else if (words <= 8) {
        for (std::size_t i = 0; i < words; ++i) {
            to[i] = from[i];
        }
    } else {
        std::memcpy(to, from, words * sizeof(std::uint64_t));
    }
}

}  // namespace kvasir::detail
