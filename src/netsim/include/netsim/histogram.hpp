#pragma once
/// Histogram of durations; the width of buckets grows with the duration.

#include <array>
#include <bit>
#include <cstdint>

#include "netsim/time.hpp"

namespace netsim {

/// Durations from 0 on. Quantiles are within 3 % of the true ones.
class Histogram {
  public:
    void add(Time duration) {
        const auto x = static_cast<std::uint64_t>(duration);
        ++counts_[bucket(x)];
        ++count_;
        sum_ += x;
        max_ = x > max_ ? x : max_;
    }

    std::uint64_t count() const { return count_; }
    /// Returns the mean, s; 0 if empty.
    double mean() const {
        return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_) * 1e-12;
    }
    double max() const { return static_cast<double>(max_) * 1e-12; }
    /// Returns quantile `q`, s; 0 if empty.
    double quantile(double q) const {
        const double rank = q * static_cast<double>(count_);
        double before = 0;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            before += static_cast<double>(counts_[i]);
            if (counts_[i] != 0 && before >= rank) {
                return static_cast<double>(middle(i)) * 1e-12;
            }
        }
        return 0;
    }

  private:
    static constexpr unsigned kBits = 4;  // 16 buckets per power of two
    static constexpr std::uint64_t kLinear = 1U << (kBits + 1);

    static std::size_t bucket(std::uint64_t x) {
        if (x < kLinear) {
            return x;
        }
        const auto shift = static_cast<unsigned>(std::bit_width(x)) - kBits - 1;
        return (static_cast<std::size_t>(shift) << kBits) + (x >> shift);
    }
    static std::uint64_t middle(std::size_t i) {
        if (i < kLinear) {
            return i;
        }
        const std::size_t shift = (i >> kBits) - 1;
        const std::uint64_t low = ((i & ((1U << kBits) - 1)) | (1U << kBits)) << shift;
        return low + ((std::uint64_t{1} << shift) >> 1U);
    }

    std::array<std::uint64_t, 1024> counts_{};
    std::uint64_t count_ = 0;
    std::uint64_t sum_ = 0;
    std::uint64_t max_ = 0;
};

}  // namespace netsim
