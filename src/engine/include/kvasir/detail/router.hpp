#pragma once
// Destination ranks of records.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kvasir/detail/frequent.hpp"

namespace kvasir::detail {

/// Maps hashes to ranks. Plainly: equal ranges of the hash. Balanced: the ranges are cut in bins, bins have
/// owners that can change, and the records of a few very frequent keys go round all ranks.
class Router {
  public:
    static constexpr std::size_t kBinsPerRank = 64;
    static constexpr std::size_t kMostSplit = 64;  // keys

    Router(int rank, int ranks, bool balanced)
        : ranks_(static_cast<std::uint64_t>(ranks)), balanced_(balanced), next_(rank) {
        if (balanced) {
            owners_.resize(kBinsPerRank * ranks_);
            sent_.resize(owners_.size());
            for (std::size_t bin = 0; bin < owners_.size(); ++bin) {
                owners_[bin] = static_cast<int>(bin / kBinsPerRank);
            }
        }
    }

    bool balanced() const { return balanced_; }

    /// Returns the rank for one more record of this hash.
    int route(std::uint64_t hash) {
        if (!balanced_) [[likely]] {
            return static_cast<int>(((hash >> 32U) * ranks_) >> 32U);
        }
        if (splits_ != 0 && is_split(hash)) {
            next_ = next_ + 1 == static_cast<int>(ranks_) ? 0 : next_ + 1;
            return next_;
        }
        return owners_[bin(hash)];
    }

    /// Returns the rank on which all records of this hash must be in the end.
    int home(std::uint64_t hash) const { return owners_[bin(hash)]; }

    std::size_t bin(std::uint64_t hash) const { return ((hash >> 32U) * owners_.size()) >> 32U; }
    const std::vector<int>& owners() const { return owners_; }
    void set_owners(std::vector<int> owners) {
        changed_ = changed_ || owners != owners_;
        owners_ = std::move(owners);
    }
    /// Returns whether records may lie elsewhere than at home.
    bool changed() const { return changed_ || splits_ != 0; }

    bool is_split(std::uint64_t hash) const {
        for (std::size_t slot = hash % split_.size();; slot = (slot + 1) % split_.size()) {
            if (split_[slot] == hash || split_[slot] == 0) {
                return split_[slot] == hash && hash != 0;
            }
        }
    }
    /// Splits a hash: from now on its records go round all ranks.
    void split(std::uint64_t hash) {
        if (splits_ == kMostSplit || hash == 0 || is_split(hash)) {
            return;
        }
        std::size_t slot = hash % split_.size();
        while (split_[slot] != 0) {
            slot = (slot + 1) % split_.size();
        }
        split_[slot] = hash;
        ++splits_;
    }
    std::uint64_t splits() const { return splits_; }

    /// Counts a record that was given to the exchange.
    void count(std::uint64_t hash) {
        ++sent_[bin(hash)];
        frequent_.pass(hash);
    }
    const std::vector<std::uint64_t>& sent() const { return sent_; }
    const FrequentHashes& frequent() const { return frequent_; }

  private:
    std::uint64_t ranks_;
    bool balanced_;
    int next_;
    std::vector<int> owners_;
    std::vector<std::uint64_t> sent_;
    FrequentHashes frequent_;
    std::array<std::uint64_t, 4 * kMostSplit> split_{};
    std::uint64_t splits_ = 0;
    bool changed_ = false;
};

}  // namespace kvasir::detail
