#pragma once
// Choice of the table that records are combined in before the exchange, from the hits that there were.

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace kvasir::detail {

/// Chooses between a table as large as the send buffer, one that fits the cache, and none.
///
/// A record costs about 8 ns in a small table, 31 ns in a large one, and 65 ns from the exchange to its place
/// after it, which a hit saves (measured, 64 Mi words). So the small one wins where it finds two of three
/// keys, or at most a third less than the large one, which beats none where it finds half.
class CombineChoice {
  public:
    enum class Table : std::uint8_t { large, small, none };

    /// `small`: records that the small table has room for.
    explicit CombineChoice(std::size_t small) : window_(4 * (small + 4096)) {}

    Table table() const { return table_; }

    /// Notes whether a record found an equal key.
    void note(bool hit) {
        ++records_;
        hits_ += static_cast<std::uint64_t>(hit);
    }

    /// Chooses when the large table, filled from empty, first holds as much as the small one would.
    Table at_small_size() {
        looked_ = true;
        hits_when_small_ = share();
        if (hits_ * 3 >= records_ * 2) {
            choose(Table::small);
        }
        return table_;
    }
    /// Whether that is still to come.
    bool growing() const { return table_ == Table::large && !looked_; }

    /// Chooses when the large table, filled from empty, is a quarter full. Of keys that are all equally
    /// frequent and so many that half of them have not come when it is full, one of ten has come twice by
    /// then.
    Table at_quarter() {
        quarter_ = true;
        if (hits_ * 10 < records_) {
            pause_ = 4 * kPause * records_;
            choose(Table::none);
        }
        return table_;
    }
    /// Whether that is still to come.
    bool before_quarter() const { return table_ == Table::large && !quarter_; }

    /// Chooses when the large table is full and about to be emptied.
    Table when_full() {
        pause_ = kPause * records_;
        if (hits_ * 2 < records_) {
            choose(Table::none);
        } else if (share() < hits_when_small_ + kWorthLarge) {
            choose(Table::small);
        } else {
            choose(Table::large);
            looked_ = quarter_ = true;
        }
        return table_;
    }

    /// Chooses the small table, however few records find an equal key there.
    void choose_small() {
        if (table_ != Table::small) {
            hits_when_small_ = 0;
            choose(Table::small);
        }
    }

    /// Chooses now and then without the large table.
    Table in_between() {
        const bool again = table_ == Table::small
                               ? records_ >= window_ && share() < std::min(hits_when_small_ - kWorse, 0.5)
                               : table_ == Table::none && records_ >= pause_;
        if (again) {
            choose(Table::large);
        } else if (table_ == Table::small && records_ >= window_) {
            choose(Table::small);
        }
        return table_;
    }

  private:
    static constexpr std::uint64_t kPause = 8;  ///< fills of a large table until it is tried again
    static constexpr double kWorthLarge = 1.0 / 3;
    static constexpr double kWorse = 0.1;

    /// Returns how many of the records have found an equal key.
    double share() const {
        return static_cast<double>(hits_) / static_cast<double>(std::max<std::uint64_t>(records_, 1));
    }

    void choose(Table table) {
        table_ = table;
        looked_ = quarter_ = false;
        records_ = hits_ = 0;
    }

    std::uint64_t window_;
    std::uint64_t pause_ = 0;
    std::uint64_t records_ = 0;
    std::uint64_t hits_ = 0;
    double hits_when_small_ = 0;  ///< share of the records when the large table held as much as a small one
    Table table_ = Table::large;
    bool looked_ = false;   ///< at small size
    bool quarter_ = false;  ///< looked when a quarter was full
};

}  // namespace kvasir::detail
