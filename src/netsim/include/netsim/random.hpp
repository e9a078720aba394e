#pragma once
/// Random numbers that are the same on every machine: neither the generator nor the distributions are the
/// standard library's, and logarithm and exponential use only operations that IEEE 754 defines to the last
/// bit (compile with -ffp-contract=off).

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "netsim/time.hpp"

namespace netsim {

namespace portable {

/// Natural logarithm of a positive finite number, within a few units in the last place.
inline double log(double x) {
    constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52U) - 1;
    constexpr double kLn2 = 0.69314718055994530942;
    int exponent = 0;
    if (x < 0x1p-1022) {  // subnormal
        x *= 0x1p54;
        exponent = -54;
    }
    const auto bits = std::bit_cast<std::uint64_t>(x);
    exponent += static_cast<int>(bits >> 52U) - 1023;
    auto m = std::bit_cast<double>((bits & kMantissa) | (std::uint64_t{1023} << 52U));
    if (m > 1.41421356237309504880) {
        m *= 0.5;
        ++exponent;
    }
    const double z = (m - 1) / (m + 1);  // |z| < 0.172: log m = 2 artanh z
    const double z2 = z * z;
    double sum = 0;
    for (int k = 21; k >= 1; k -= 2) {
        sum = sum * z2 + 1.0 / k;
    }
    return 2 * z * sum + exponent * kLn2;
}

/// e^x for x < 700, within a few units in the last place; 0 below -700.
inline double exp(double x) {
    if (x < -700) {
        return 0;
    }
    constexpr double kLn2High = 6.93147180369123816490e-01;
    constexpr double kLn2Low = 1.90821492927058770002e-10;
    const double n = std::floor(x / (kLn2High + kLn2Low) + 0.5);
    const double r = (x - n * kLn2High) - n * kLn2Low;
    double sum = 1;
    for (int k = 14; k >= 1; --k) {
        sum = 1 + r * sum / k;
    }
    return std::ldexp(sum, static_cast<int>(n));
}

}  // namespace portable

/// The generator xoshiro256** of D. Blackman and S. Vigna (2018), seeded through splitmix64.
class Random {
  public:
    /// Generators of one seed and different streams are independent of each other.
    explicit Random(std::uint64_t seed, std::uint64_t stream = 0) {
        std::uint64_t x = seed ^ (stream * 0xd1342543de82ef95U);
        for (std::uint64_t& word : state_) {
            x += 0x9e3779b97f4a7c15U;
            word = mix(x);
        }
    }

    std::uint64_t next() {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17U;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    /// 0 <= x < 1, in steps of 2^-53.
    double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }
    double uniform(double low, double high) { return low + (high - low) * uniform(); }
    /// 0 <= x < n, n < 2^32, without bias that any test would see.
    std::uint64_t below(std::uint64_t n) { return ((next() >> 32U) * n) >> 32U; }
    /// 0 <= t < span.
    Time duration(Time span) { return static_cast<Time>(uniform() * static_cast<double>(span)); }
    double exponential(double mean) { return -mean * portable::log(1 - uniform()); }
    /// Mean 0, deviation 1 (polar method of Marsaglia).
    double normal() {
        for (;;) {
            const double u = uniform(-1, 1);
            const double v = uniform(-1, 1);
            const double s = u * u + v * v;
            if (s > 0 && s < 1) {
                return u * std::sqrt(-2 * portable::log(s) / s);
            }
        }
    }
    /// e to a normal number of mean `mu` and deviation `sigma`.
    double lognormal(double mu, double sigma) { return portable::exp(mu + sigma * normal()); }

    /// Returns a well mixed 64-bit hash of x (the finaliser of splitmix64).
    static constexpr std::uint64_t mix(std::uint64_t x) {
        x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
        x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
        return x ^ (x >> 31U);
    }

  private:
    std::array<std::uint64_t, 4> state_{};
};

}  // namespace netsim
