#pragma once
// Which word stands at which place of a text. Each law is a pure function of the place, so that any part of a
// text can be made on its own; each uses every one of the U words at least once.

#include <cmath>
#include <cstdint>
#include <vector>

#include "vocabulary.hpp"

namespace kvasir::generate {

/// abcd..abcd..: all words in turn. Every U consecutive words are all the words (the paper's data sets).
class Interleaved {
  public:
    Interleaved(std::uint64_t unique, std::uint64_t seed)
        : unique_(unique), start_(mixed(seed, 1) % unique) {}
    std::uint64_t operator()(std::uint64_t place) const { return (place + start_) % unique_; }

  private:
    std::uint64_t unique_;
    std::uint64_t start_;
};

/// Word 0 takes exactly the share F of all places (rounded down), spread evenly; the others come in turn.
class Superkey {
  public:
    Superkey(std::uint64_t words, std::uint64_t unique, double share)
        : words_(words),
          unique_(unique),
          heavy_(static_cast<std::uint64_t>(share * static_cast<double>(words))) {}

    std::uint64_t operator()(std::uint64_t place) const {
        const std::uint64_t before = heavy_before(place);
        if (heavy_before(place + 1) > before || unique_ == 1) return 0;
        return 1 + (place - before) % (unique_ - 1);
    }

  private:
    std::uint64_t heavy_before(std::uint64_t place) const {
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::uint64_t>(static_cast<Wide>(place) * heavy_ / words_);
    }

    std::uint64_t words_;
    std::uint64_t unique_;
    std::uint64_t heavy_;
};

/// Zipf: word k (from 0) has probability proportional to 1/(k+1)^s. U places, spread evenly, hold each word
/// once, so that the number of distinct words is exact; the others are drawn (Vose's alias method, one draw a
/// place).
class Zipf {
  public:
    Zipf(std::uint64_t words, std::uint64_t unique, double exponent, std::uint64_t seed)
        : words_(words), unique_(unique), seed_(seed), chance_(unique), alias_(unique) {
        std::vector<double> weight(unique);
        double sum = 0;
        for (std::uint64_t k = 0; k < unique; ++k) {
            weight[k] = std::pow(static_cast<double>(k + 1), -exponent);
            sum += weight[k];
        }
        std::vector<std::uint64_t> small;
        std::vector<std::uint64_t> large;
        for (std::uint64_t k = 0; k < unique; ++k) {
            weight[k] *= static_cast<double>(unique) / sum;
            (weight[k] < 1 ? small : large).push_back(k);
        }
        while (!small.empty() && !large.empty()) {
            const std::uint64_t less = small.back();
            const std::uint64_t more = large.back();
            small.pop_back();
            chance_[less] = weight[less];
            alias_[less] = more;
            weight[more] -= 1 - weight[less];
            if (weight[more] < 1) {
                large.pop_back();
                small.push_back(more);
            }
        }
        for (const auto& rest : {small, large}) {
            for (const std::uint64_t k : rest) {
                chance_[k] = 1;
                alias_[k] = k;
            }
        }
    }

    std::uint64_t operator()(std::uint64_t place) const {
        __extension__ using Wide = unsigned __int128;
        const auto given = static_cast<std::uint64_t>(static_cast<Wide>(place) * unique_ / words_);
        const auto next = static_cast<std::uint64_t>(static_cast<Wide>(place + 1) * unique_ / words_);
        if (next > given) return given;
        const std::uint64_t bits = mixed(seed_, place);
        const auto column = static_cast<std::uint64_t>((static_cast<Wide>(bits) * unique_) >> 64U);
        const double coin = static_cast<double>(mixed(seed_ ^ bits, place) >> 11U) * 0x1p-53;
        return coin < chance_[column] ? column : alias_[column];
    }

  private:
    std::uint64_t words_;
    std::uint64_t unique_;
    std::uint64_t seed_;
    std::vector<double> chance_;
    std::vector<std::uint64_t> alias_;
};

}  // namespace kvasir::generate
