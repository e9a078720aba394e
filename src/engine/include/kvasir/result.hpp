#pragma once
// Result of a job on each rank: its keys, each with the value that reduce() returned.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "kvasir/detail/key.hpp"
#include "kvasir/stats.hpp"

namespace kvasir {

/// Placeholder for the result of a reduce() that returns nothing.
struct Nothing {};

/// Keys of one rank with their reduced values; every key is on exactly one rank. Views of keys live as long
/// as it. Iterate: `for (auto [key, value] : result)`.
template <class Key, class Out>
class Result {
    using Stored = std::conditional_t<std::is_void_v<Out>, Nothing, Out>;

  public:
    class Iterator {
      public:
        using value_type = std::pair<Key, const Stored&>;
        using difference_type = std::ptrdiff_t;

        Iterator(const Result* result, std::size_t at) : result_(result), at_(at) {}
        value_type operator*() const {
            return {detail::KeyTraits<Key>::decode(result_->keys_[at_]), result_->values_[at_]};
        }
        Iterator& operator++() {
            ++at_;
            return *this;
        }
        bool operator==(const Iterator& other) const { return at_ == other.at_; }
        bool operator!=(const Iterator& other) const { return at_ != other.at_; }

      private:
        const Result* result_;
        std::size_t at_;
    };

    std::size_t size() const { return values_.size(); }
    bool empty() const { return values_.empty(); }
    Iterator begin() const { return {this, 0}; }
    Iterator end() const { return {this, size()}; }

    /// Returns the statistics of this rank.
    const RankStats& stats() const { return stats_; }
    RankStats& stats() { return stats_; }

    /// Adds the key that lies at `zone`; for the engine.
    void add(const std::uint64_t* zone, Stored value) {
        const std::size_t words = detail::KeyTraits<Key>::words(zone);
        if (words > free_) {
            free_ = std::max<std::size_t>(words, std::size_t{1} << 14U);
            pages_.push_back(std::make_unique<std::uint64_t[]>(free_));
            cursor_ = pages_.back().get();
        }
        std::memcpy(cursor_, zone, words * sizeof(std::uint64_t));
        keys_.push_back(cursor_);
        cursor_ += words;
        free_ -= words;
        values_.push_back(std::move(value));
    }

  private:
    std::vector<std::unique_ptr<std::uint64_t[]>> pages_;
    std::uint64_t* cursor_ = nullptr;
    std::size_t free_ = 0;
    std::vector<const std::uint64_t*> keys_;
    std::vector<Stored> values_;
    RankStats stats_;
};

}  // namespace kvasir
