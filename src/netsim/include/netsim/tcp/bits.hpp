#pragma once
/// Sets of segment numbers within a window, as bits in a ring.

#include <bit>
#include <cstddef>
#include <cstdint>

namespace netsim::tcp {

/// Views `words` words (a power of two) of memory that someone else owns. Numbers that differ by less than
/// `64 * words` do not collide; a number that leaves the window must be cleared.
class Bits {
  public:
    Bits(std::uint64_t* words, std::uint32_t count) : words_(words), mask_(64 * count - 1) {}

    bool test(std::uint32_t n) const { return (word(n) >> (n & 63U) & 1U) != 0; }
    void set(std::uint32_t n) { word(n) |= std::uint64_t{1} << (n & 63U); }
    void clear(std::uint32_t n) { word(n) &= ~(std::uint64_t{1} << (n & 63U)); }

    /// First number from `n` on, before `end`, that is set; `end` if there is none.
    std::uint32_t find(std::uint32_t n, std::uint32_t end) const { return find_if(n, end, 0); }
    /// First number from `n` on, before `end`, that is not set; `end` if there is none.
    std::uint32_t find_clear(std::uint32_t n, std::uint32_t end) const {
        return find_if(n, end, ~std::uint64_t{0});
    }

    /// Begin of the run of set numbers that `n` belongs to, not before `least`.
    std::uint32_t run_begin(std::uint32_t n, std::uint32_t least) const {
        while (n > least && test(n - 1)) {
            // All ones from n-1 down to the begin of its word: on to the word before.
            const std::uint64_t below = ~(word(n - 1) << (63U - ((n - 1) & 63U)));
            const std::uint32_t ones = below == 0 ? 64 : static_cast<std::uint32_t>(std::countl_zero(below));
            n = n - least < ones ? least : n - ones;
        }
        return n;
    }

  private:
    std::uint64_t& word(std::uint32_t n) const { return words_[(n & mask_) >> 6U]; }

    std::uint32_t find_if(std::uint32_t n, std::uint32_t end, std::uint64_t flip) const {
        while (n < end) {
            const std::uint64_t left = (word(n) ^ flip) >> (n & 63U);
            if (left != 0) {
                const std::uint32_t found = n + static_cast<std::uint32_t>(std::countr_zero(left));
                return found < end ? found : end;
            }
            n = (n | 63U) + 1;
        }
        return end;
    }

    std::uint64_t* words_;
    std::uint32_t mask_;
};

}  // namespace netsim::tcp
