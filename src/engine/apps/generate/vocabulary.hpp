#pragma once
// Vocabulary: distinct words of lower-case letters, each computed from its number alone.

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kvasir::generate {

inline constexpr unsigned kLetters = 26;
inline constexpr unsigned kLongest = 8;  ///< letters; a word and its separator fit in 16 bytes

/// Word in place.
struct Word {
    std::array<char, kLongest> letters;
    unsigned length;

    std::string_view text() const { return {letters.data(), length}; }
};

/// Returns 64 well-mixed bits of a seed and a number: the same for the same pair, on any machine, in any
/// order.
inline std::uint64_t mixed(std::uint64_t seed, std::uint64_t number) {
    std::uint64_t z = seed * 0xd1342543de82ef95ULL + (number + 1) * 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
}

/// A bijection from numbers 0 .. capacity-1 to words of `shortest` to `longest` letters. Lengths take turns,
/// so that any first few words already have all lengths; a length that has no words left drops out.
class Vocabulary {
  public:
    Vocabulary(unsigned shortest, unsigned longest, std::uint64_t seed)
        : shortest_(shortest), longest_(longest) {
        if (shortest < 1 || longest > kLongest || shortest > longest) {
            throw std::invalid_argument("word length: must be MIN-MAX with 1 <= MIN <= MAX <= " +
                                        std::to_string(kLongest));
        }
        std::uint64_t words = 1;
        for (unsigned length = 1; length <= longest; ++length) {
            words *= kLetters;
            words_[length] = words;
            // An affine map is a bijection modulo 26^n when its factor shares no divisor with 26.
            std::uint64_t factor = (mixed(seed, length) % words) | 1U;
            while (factor % 13 == 0) factor += 2;
            factor_[length] = factor % words == 0 ? 1 : factor % words;
            shift_[length] = mixed(seed, 100 + length) % words;
        }
    }

    /// Returns the number of distinct words.
    std::uint64_t capacity() const {
        std::uint64_t sum = 0;
        for (unsigned length = shortest_; length <= longest_; ++length) sum += words_[length];
        return sum;
    }

    /// Returns word number `number`, below capacity().
    Word operator[](std::uint64_t number) const {
        unsigned first = shortest_;
        std::uint64_t used = 0;  // words of each remaining length that came before this stretch
        for (;;) {
            const std::uint64_t turns = longest_ - first + 1;
            const std::uint64_t stretch = (words_[first] - used) * turns;
            if (number < stretch) {
                return spell(first + static_cast<unsigned>(number % turns), used + number / turns);
            }
            number -= stretch;
            used = words_[first];
            ++first;
        }
    }

  private:
    Word spell(unsigned length, std::uint64_t nth) const {
        __extension__ using Wide = unsigned __int128;
        auto code = static_cast<std::uint64_t>((static_cast<Wide>(nth) * factor_[length] + shift_[length]) %
                                               words_[length]);
        Word word{{}, length};
        for (unsigned at = 0; at < length; ++at) {
            word.letters[at] = static_cast<char>('a' + code % kLetters);
            code /= kLetters;
        }
        return word;
    }

    unsigned shortest_;
    unsigned longest_;
    std::array<std::uint64_t, kLongest + 1> words_{};
    std::array<std::uint64_t, kLongest + 1> factor_{};
    std::array<std::uint64_t, kLongest + 1> shift_{};
};

}  // namespace kvasir::generate
