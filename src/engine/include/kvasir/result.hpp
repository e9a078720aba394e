#pragma once
// Result of a job on each rank: its keys, each with the value that reduce() returned.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "kvasir/detail/key.hpp"
#include "kvasir/memory.hpp"
#include "kvasir/stats.hpp"

namespace kvasir {

/// Placeholder for the result of a reduce() that returns nothing.
struct Nothing {};

/// Keys of one rank with their reduced values; every key is on exactly one rank. Views of keys live as long
/// as it. Iterate: `for (auto [key, value] : result)`.
template <class Key, class Out>
class Result {
    using Stored = std::conditional_t<std::is_void_v<Out>, Nothing, Out>;
    using K = detail::KeyTraits<Key>;

  public:
    class Iterator {
      public:
        using value_type = std::pair<Key, const Stored&>;
        using difference_type = std::ptrdiff_t;

        Iterator(const Result* result, const std::uint64_t* at) : result_(result), at_(at) {}
        value_type operator*() const { return {K::decode(at_), result_->value(at_ + K::words(at_), index_)}; }
        Iterator& operator++() {
            at_ += K::words(at_) + kValueWords;
            ++index_;
            if (at_ == result_->pages_[page_].end) {
                ++page_;
                at_ = page_ == result_->pages_.size() ? nullptr : result_->pages_[page_].words.get();
            }
            return *this;
        }
        bool operator==(const Iterator& other) const { return at_ == other.at_; }
        bool operator!=(const Iterator& other) const { return at_ != other.at_; }

      private:
        const Result* result_;
        const std::uint64_t* at_;  ///< a key; nullptr: the end
        std::size_t page_ = 0;
        std::size_t index_ = 0;
    };

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    Iterator begin() const { return {this, pages_.empty() ? nullptr : pages_.front().words.get()}; }
    Iterator end() const { return {this, nullptr}; }

    /// Returns the statistics of this rank.
    const RankStats& stats() const { return stats_; }
    RankStats& stats() { return stats_; }

    /// Adds the key that lies at `zone`; for the engine.
    void add(const std::uint64_t* zone, Stored value) {
        const std::size_t words = K::words(zone);
        if (words + kValueWords > free_) {
            add_page(words + kValueWords);
        }
        std::uint64_t* const at = pages_.back().end;
        std::memcpy(at, zone, words * sizeof(std::uint64_t));
        if constexpr (kBeside) {
            ::new (static_cast<void*>(at + words)) Stored(value);
        } else if constexpr (!std::is_empty_v<Stored>) {
            values_.push_back(std::move(value));
        }
        pages_.back().end += words + kValueWords;
        free_ -= words + kValueWords;
        ++size_;
    }

  private:
    /// Whether values lie behind their keys; others, but empty ones, are in `values_`.
    static constexpr bool kBeside = std::is_trivially_copyable_v<Stored> && !std::is_empty_v<Stored> &&
                                    alignof(Stored) <= alignof(std::uint64_t);
    static constexpr std::size_t kValueWords = kBeside ? detail::words_for(sizeof(Stored)) : 0;

    struct Free {
        void operator()(std::uint64_t* words) const { std::free(words); }
    };
    struct Page {
        std::unique_ptr<std::uint64_t[], Free> words;
        std::uint64_t* end;  ///< of its entries
    };

    const Stored& value(const std::uint64_t* beside, std::size_t index) const {
        if constexpr (kBeside) {
            return *reinterpret_cast<const Stored*>(beside);
        } else if constexpr (std::is_empty_v<Stored>) {
            static constexpr Stored empty{};
            return empty;
        } else {
            return values_[index];
        }
    }

    void add_page(std::size_t words) {
        // As small as the memory that records of the partitions before have left.
        constexpr std::size_t page = std::size_t{1} << 12U;
        free_ = std::max(words, page);
        auto* const memory = static_cast<std::uint64_t*>(allocate_block(free_ * sizeof(std::uint64_t)));
        pages_.push_back({std::unique_ptr<std::uint64_t[], Free>(memory), memory});
    }

    std::vector<Page> pages_;
    std::size_t free_ = 0;  ///< words of the last page
    std::size_t size_ = 0;
    std::vector<Stored> values_;
    RankStats stats_;
};

}  // namespace kvasir
