#pragma once
/// Simulated time: whole picoseconds, so that no result depends on the rounding of a machine.

#include <cstdint>
#include <limits>

namespace netsim {

/// Picoseconds since the begin of the simulation. 64 bits hold 106 days.
using Time = std::int64_t;

inline constexpr Time kPicosecond = 1;
inline constexpr Time kNanosecond = 1'000;
inline constexpr Time kMicrosecond = 1'000'000;
inline constexpr Time kMillisecond = 1'000'000'000;
inline constexpr Time kSecond = 1'000'000'000'000;
/// Later than everything; still leaves room to add a duration to it.
inline constexpr Time kNever = std::numeric_limits<Time>::max() / 4;

/// Converts seconds to time, to the nearest picosecond.
constexpr Time seconds(double s) {
    const double ps = s * 1e12;
    return static_cast<Time>(ps < 0 ? ps - 0.5 : ps + 0.5);
}
constexpr Time milliseconds(double ms) { return seconds(ms * 1e-3); }
constexpr Time microseconds(double us) { return seconds(us * 1e-6); }
/// Converts time to seconds.
constexpr double to_seconds(Time t) { return static_cast<double>(t) * 1e-12; }

namespace literals {
constexpr Time operator""_s(unsigned long long n) { return static_cast<Time>(n) * kSecond; }
constexpr Time operator""_ms(unsigned long long n) { return static_cast<Time>(n) * kMillisecond; }
constexpr Time operator""_us(unsigned long long n) { return static_cast<Time>(n) * kMicrosecond; }
constexpr Time operator""_ns(unsigned long long n) { return static_cast<Time>(n) * kNanosecond; }
}  // namespace literals

}  // namespace netsim
