#pragma once
/// Mean power and waiting time of one direction of a link under Poisson arrivals of frames of one size.
///
/// The link is a server with vacations: each time its queue has run empty it falls asleep (Ts), stays in low
/// power idle until something wakes it, wakes (Tw) and serves all that waits. A cycle renews with every empty
/// queue, and what is busy is a fixed share rho of all time, so that the time in low power idle follows from
/// its mean per cycle (renewal reward). What wakes it is the Q-th frame since the queue ran empty, or a time
/// H after the first of them.

#include <cstdint>
#include <vector>

#include "netsim/eee/settings.hpp"
#include "netsim/random.hpp"

namespace netsim::eee {

/// A link and its load.
struct LoadedLink {
    double sleep;    ///< Ts, s
    double wake;     ///< Tw, s
    double service;  ///< time to send one frame, s
    double load;     ///< rho, 0 < rho < 1
    double low;      ///< power in low power idle relative to active

    double rate() const { return load / service; }

    static LoadedLink of(const Speed& speed, std::uint32_t frame_bytes, double load) {
        return {to_seconds(speed.lpi.sleep), to_seconds(speed.lpi.wake),
                to_seconds(speed.byte_time) * frame_bytes, load, speed.lpi.power};
    }
};

namespace closed {

/// P(N <= k) for k = 0..n of a Poisson number of mean `mean`.
inline std::vector<double> poisson_cdf(std::uint64_t n, double mean) {
    std::vector<double> cdf(n + 1, 1.0);
    if (mean > 0) {
        const double log_mean = portable::log(mean);
        double log_term = -mean;
        double sum = 0;
        for (std::uint64_t k = 0; k <= n; ++k) {
            if (k > 0) {
                log_term += log_mean - portable::log(static_cast<double>(k));
            }
            sum += portable::exp(log_term);
            cdf[k] = sum < 1 ? sum : 1;
        }
    }
    return cdf;
}

/// Parts of the vacation of a cycle.
struct Vacation {
    double low;    ///< mean time in low power idle, s
    double slope;  ///< integral over that time of the expected number of held frames, s
};

/// hold: H, s; trigger: Q >= 1. H = 0 or Q = 1 is standard EEE.
inline Vacation vacation(const LoadedLink& link, double hold, std::uint64_t trigger) {
    const double rate = link.rate();
    if (hold <= 0 || trigger <= 1) {
        return {portable::exp(-rate * link.sleep) / rate, 0};
    }
    // Until H no more than Q-1 frames may have come; afterwards, if still asleep, only a first one can be
    // missing: the hold counts from the first frame, the renewal is the same as if it counted from the empty
    // queue.
    const std::vector<double> at_hold = poisson_cdf(trigger, rate * hold);
    const double few = at_hold[trigger - 1];                                     // at most Q-1 within H
    const double fewer = trigger >= 2 ? at_hold[trigger - 2] * rate * hold : 0;  // mean number of those
    if (hold <= link.sleep) {
        const double quiet = portable::exp(-rate * (link.sleep - hold));
        return {quiet * few / rate, quiet * fewer / rate};
    }
    // Integrals of Poisson probabilities over time are differences of their sums.
    const std::vector<double> at_sleep = poisson_cdf(trigger, rate * link.sleep);
    double low = few / rate;
    double slope = fewer / rate;
    for (std::uint64_t k = 0; k < trigger; ++k) {
        low += (at_sleep[k] - at_hold[k]) / rate;
        slope += static_cast<double>(k) * (at_sleep[k] - at_hold[k]) / rate;
    }
    return {low, slope};
}

/// Returns the power of coalescing (or, with H = 0 or Q = 1, standard) EEE, relative to always on.
inline double power(const LoadedLink& link, double hold = 0, std::uint64_t trigger = 1) {
    const double low = vacation(link, hold, trigger).low;
    return 1 - (1 - link.low) * (1 - link.load) * low / (low + link.sleep + link.wake);
}

/// Returns the same where the next frame ends a transition to sleep at once; standard EEE only.
inline double power_abort(const LoadedLink& link) {
    const double rate = link.rate();
    const double asleep = portable::exp(-rate * link.sleep);
    return 1 - (1 - link.low) * (1 - link.load) * (asleep / rate) / (1 / rate + link.wake * asleep);
}

/// Returns the power without transitions.
inline double power_ideal(const LoadedLink& link) { return link.load + link.low * (1 - link.load); }

/// Returns the mean time from the arrival of a frame to the begin of its transmission, s: that of the queue
/// without vacations plus what the frames present at the first transmission cause.
inline double mean_wait(const LoadedLink& link, double hold = 0, std::uint64_t trigger = 1) {
    const double rate = link.rate();
    const Vacation rest = vacation(link, hold, trigger);
    const double present = rate * (link.sleep + rest.low + link.wake);
    const double pairs = 2 * rate *
                         (rate * link.sleep * link.sleep / 2 + rest.slope +
                          link.wake * rate * (link.sleep + rest.low) + rate * link.wake * link.wake / 2);
    return rate * link.service * link.service / (2 * (1 - link.load)) + pairs / (2 * rate * present);
}

}  // namespace closed
}  // namespace netsim::eee
