#pragma once
// Laws that map places of a text to words. Each law is a pure function of the place, so that any part of a
// text can be made on its own; each uses every one of the U words at least once.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vocabulary.hpp"

namespace kvasir::generate {

__extension__ using Wide = unsigned __int128;

inline constexpr std::size_t kRun = 256;  ///< most places that a law's run() takes at a time

/// The most frequent word of a text, and how often it occurs.
struct Top {
    std::uint64_t word = 0;
    std::uint64_t count = 0;
};

/// Marks `part` of `whole` places, spread evenly; walks from place to place without dividing.
class Spread {
  public:
    Spread(std::uint64_t part, std::uint64_t whole, std::uint64_t place)
        : part_(part),
          whole_(whole),
          before_(static_cast<std::uint64_t>(static_cast<Wide>(place) * part / whole)),
          rest_(static_cast<std::uint64_t>(static_cast<Wide>(place) * part % whole)) {}

    /// Returns the number of marked places before the one of next().
    std::uint64_t before() const { return before_; }

    /// Returns whether the place is marked, and moves to the following place.
    bool next() {
        rest_ += part_;
        const bool marked = rest_ >= whole_;
        rest_ -= marked ? whole_ : 0;
        before_ += marked ? 1 : 0;
        return marked;
    }

  private:
    std::uint64_t part_;
    std::uint64_t whole_;
    std::uint64_t before_;
    std::uint64_t rest_;
};

/// abcd..abcd..: all words in turn. Every U consecutive words are all the words (the paper's data sets).
class Interleaved {
  public:
    Interleaved(std::uint64_t unique, std::uint64_t seed)
        : unique_(unique), start_(mixed(seed, 1) % unique) {}
    static constexpr bool kTopByCounting = false;

    std::uint64_t operator()(std::uint64_t place) const { return (place + start_) % unique_; }

    /// Computes the words of `count` places from `place` on; as all laws' run(), for speed alone.
    void run(std::uint64_t place, std::size_t count, std::uint64_t* words) const {
        std::uint64_t word = (*this)(place);
        for (std::size_t i = 0; i < count; ++i) {
            words[i] = word;
            word = word + 1 == unique_ ? 0 : word + 1;
        }
    }

    /// The first word of the text is never behind another.
    Top top(std::uint64_t words) const { return {(*this)(0), (words + unique_ - 1) / unique_}; }

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

    static constexpr bool kTopByCounting = false;

    std::uint64_t operator()(std::uint64_t place) const {
        std::uint64_t word = 0;
        run(place, 1, &word);
        return word;
    }

    void run(std::uint64_t place, std::size_t count, std::uint64_t* words) const {
        Spread heavy(heavy_, words_, place);
        std::uint64_t light = unique_ == 1 ? 0 : (place - heavy.before()) % (unique_ - 1);
        for (std::size_t i = 0; i < count; ++i) {
            if (heavy.next() || unique_ == 1) {
                words[i] = 0;
            } else {
                words[i] = 1 + light;
                light = light + 2 == unique_ ? 0 : light + 1;
            }
        }
    }

    Top top(std::uint64_t words) const {
        if (unique_ == 1) return {0, words};
        const std::uint64_t light = (words - heavy_ + unique_ - 2) / (unique_ - 1);
        return heavy_ >= light ? Top{0, heavy_} : Top{1, light};
    }

  private:
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
        : words_(words), unique_(unique), seed_(seed), columns_(unique) {
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
            columns_[less] = {weight[less], more};
            weight[more] -= 1 - weight[less];
            if (weight[more] < 1) {
                large.pop_back();
                small.push_back(more);
            }
        }
        for (const auto& rest : {small, large}) {
            for (const std::uint64_t k : rest) columns_[k] = {1, k};
        }
    }

    static constexpr bool kTopByCounting = true;

    std::uint64_t operator()(std::uint64_t place) const {
        std::uint64_t word = 0;
        run(place, 1, &word);
        return word;
    }

    /// In two passes, so that the many columns of a large vocabulary are on their way together.
    void run(std::uint64_t place, std::size_t count, std::uint64_t* words) const {
        std::array<double, kRun> coins;
        Spread given(unique_, words_, place);
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint64_t next = given.before();
            if (given.next()) {
                words[i] = next;
                coins[i] = -1;  // below every chance: the word itself
            } else {
                const std::uint64_t bits = mixed(seed_, place + i);
                words[i] = static_cast<std::uint64_t>((static_cast<Wide>(bits) * unique_) >> 64U);
                coins[i] = static_cast<double>(mixed(seed_ ^ bits, place + i) >> 11U) * 0x1p-53;
            }
            __builtin_prefetch(&columns_[words[i]]);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const Column& column = columns_[words[i]];
            words[i] = coins[i] < column.chance ? words[i] : column.alias;
        }
    }

  private:
    struct Column {
        double chance;  ///< of the column's own word, rather than the alias
        std::uint64_t alias;
    };

    std::uint64_t words_;
    std::uint64_t unique_;
    std::uint64_t seed_;
    std::vector<Column> columns_;
};

}  // namespace kvasir::generate
