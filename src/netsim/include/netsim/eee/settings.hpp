#pragma once
/// Energy settings of one direction of a link.

#include <array>
#include <cstdint>

#include "netsim/eee/speed.hpp"
#include "netsim/time.hpp"

namespace netsim::eee {

/// Which depths of low power idle a 40 Gb/s port uses; other speeds have one.
enum class Depth : std::uint8_t { deep, fast_wake, dual };

/// Settings of a port. The functions below make the usual ones; everything may be changed after them.
struct PortSettings {
    std::array<LpiLevel, 2> level{};  ///< depths of low power idle, in the order they are entered
    int levels = 1;                   ///< how many of them are used
    Time dwell = kNever;              ///< idle time in the first level before the second is entered
    Time stall = 0;                   ///< idle time before the port sleeps; kNever: it never does
    Time hold = 0;                    ///< how long a frame may be held before the port wakes; 0: not at all
    std::uint64_t trigger = 1;        ///< held packets (or bytes) that wake the port at once
    bool trigger_bytes = false;       ///< `trigger` counts bytes
    std::uint64_t full_bytes =
        ~std::uint64_t{0};  ///< held bytes that wake the port whatever the trigger says
    bool hold_from_lpi =
        false;  ///< `hold` counts from the entry into low power idle, not from the first frame
    bool sleep_abort =
        false;         ///< what would wake the port ends a transition to sleep at once, without a wake
    Time quiet = 0;    ///< low power idle between two refreshes
    Time refresh = 0;  ///< length of a refresh, at full power; 0: the level's power contains it

    static PortSettings with_speed(const Speed& speed, Depth depth = Depth::deep) {
        PortSettings settings;
        settings.level = {speed.lpi, speed.lpi};
        if (speed.dual && depth != Depth::deep) {
            settings.level[0] = speed.fast_wake;
            settings.levels = depth == Depth::dual ? 2 : 1;
        }
        return settings;
    }

    /// Returns settings of a port that is always on.
    static PortSettings legacy(const Speed& speed) {
        PortSettings settings = with_speed(speed);
        settings.stall = kNever;
        return settings;
    }

    /// Returns settings of a port that sleeps and wakes in no time: the bound.
    static PortSettings ideal(const Speed& speed) {
        PortSettings settings = with_speed(speed);
        settings.level[0].sleep = settings.level[0].wake = 0;
        return settings;
    }

    /// Returns settings of a port that sleeps after idling for `stall` and wakes for every frame.
    static PortSettings standard(const Speed& speed, Time stall = 0) {
        PortSettings settings = with_speed(speed);
        settings.stall = stall;
        return settings;
    }

    /// Returns settings of a port that wakes `hold` after the first held packet, or with the `trigger`-th.
    static PortSettings coalesce(const Speed& speed, Time hold, std::uint64_t trigger) {
        PortSettings settings = with_speed(speed);
        settings.hold = hold;
        settings.trigger = trigger;
        return settings;
    }
};

}  // namespace netsim::eee
