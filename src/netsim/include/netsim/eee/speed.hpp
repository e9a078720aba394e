#pragma once
/// Speeds of Ethernet links with the times and powers of Energy Efficient Ethernet.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "netsim/time.hpp"

namespace netsim::eee {

/// One depth of low power idle.
struct LpiLevel {
    Time sleep;    ///< Ts: from the decision to sleep until power falls; full power
    Time wake;     ///< Tw: from the decision to wake until a frame may start; full power
    double power;  ///< power while idle, relative to active
};

/// A physical layer.
struct Speed {
    std::string_view name;  ///< as in the configuration
    std::string_view phy;   ///< as in IEEE 802.3
    Time byte_time;         ///< time of one byte on the wire
    LpiLevel lpi;           ///< low power idle; the only one but for 40 Gb/s
    LpiLevel fast_wake;     ///< fast wake of 40 Gb/s; equal to `lpi` where there is none
    bool dual;              ///< has both fast wake and deep sleep
};

namespace detail {
inline constexpr LpiLevel kFast100{200 * kMicrosecond, 30'500 * kNanosecond, 0.1};
inline constexpr LpiLevel kGigabit{182 * kMicrosecond, 16'500 * kNanosecond, 0.1};
inline constexpr LpiLevel kTenGigabit{2'880 * kNanosecond, 4'480 * kNanosecond, 0.1};
inline constexpr LpiLevel kFortyDeep{900 * kNanosecond, 5'500 * kNanosecond, 0.1};
inline constexpr LpiLevel kFortyFast{180 * kNanosecond, 340 * kNanosecond, 0.7};
}  // namespace detail

/// Source: the minimum times that IEEE 802.3az-2010 gives for each copper PHY (Table I of the study's paper);
/// 40 Gb/s: times and powers of the published dual-mode simulations of 40GBASE links (clause 78, IEEE
/// 802.3bj).
inline constexpr std::array<Speed, 4> kSpeeds{{
    {"100m", "100BASE-TX", 80 * kNanosecond, detail::kFast100, detail::kFast100, false},
    {"1g", "1000BASE-T", 8 * kNanosecond, detail::kGigabit, detail::kGigabit, false},
    {"10g", "10GBASE-T", 800 * kPicosecond, detail::kTenGigabit, detail::kTenGigabit, false},
    {"40g", "40GBASE-R", 200 * kPicosecond, detail::kFortyDeep, detail::kFortyFast, true},
}};

/// Returns the speed of a name, or nothing.
constexpr std::optional<Speed> find_speed(std::string_view name) {
    for (const Speed& speed : kSpeeds) {
        if (speed.name == name) {
            return speed;
        }
    }
    return std::nullopt;
}

/// Returns the share of the energy of one wake-up that sends a lone frame of `bytes` bytes (Table I), 0 to 1.
constexpr double lone_frame_efficiency(const Speed& speed, std::uint32_t bytes) {
    const double frame = static_cast<double>(speed.byte_time) * bytes;
    return frame / (frame + static_cast<double>(speed.lpi.sleep + speed.lpi.wake));
}

}  // namespace netsim::eee
