#pragma once
/// Simulation of one direction of a link without a network.

#include <cstdint>
#include <optional>
#include <vector>

#include "netsim/arrivals.hpp"
#include "netsim/eee/adaptive.hpp"
#include "netsim/eee/port.hpp"
#include "netsim/eee/speed.hpp"
#include "netsim/histogram.hpp"

namespace netsim {

struct LinkSettings {
    eee::Speed speed{eee::kSpeeds[2]};
    eee::PortSettings port;
    std::uint32_t overhead = 0;           ///< bytes that every frame takes on the wire besides its own
    std::optional<double> delay_bound{};  ///< s; hold and trigger follow the load
    bool traced = false;                  ///< keep `LinkResult::trace`
};

/// Change of state, or of the number of frames in the queue and in transmission.
struct LinkChange {
    Time when;
    bool is_state;
    int value;  ///< eee::State, or frames
};

struct LinkResult {
    Time end = 0;  ///< of the measurement; the last frame may leave later
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;
    Time busy = 0;             ///< time that sending them takes
    eee::Account account;      ///< until `end`
    double energy = 0;         ///< relative to active: seconds at full power, until `end`
    Histogram wait;            ///< arrival to begin of transmission
    Histogram wait_always_on;  ///< the same if the link never slept
    std::vector<LinkChange> trace;

    double power() const { return energy / to_seconds(end); }
};

/// Simulates `arrivals` on the link until `end`, or until the last frame has been sent if `end` is 0. Frames
/// still held then count with the wait that they will have had.
LinkResult run_link(const LinkSettings& settings, Arrivals& arrivals, Time end);

}  // namespace netsim
