#pragma once
/// Adaptive coalescing: the longest hold whose expected delay stays within a bound.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "netsim/eee/closed_form.hpp"
#include "netsim/time.hpp"

namespace netsim::eee {

/// Chooses hold and trigger of one port. It measures the rate of frames and their length over about
/// `kMemory`, and takes the longest hold with which the closed form of a link that only the hold wakes adds
/// no more than the bound to the mean wait. The trigger is twice the number of frames expected within the
/// hold: when more come, a burst has begun that the measured rate knows nothing of, and waiting longer would
/// only fill the buffer.
class AdaptiveHold {
  public:
    struct Choice {
        Time hold;
        std::uint64_t trigger;
    };

    /// bound: mean delay that may be added, s; most_bytes: frames held at most (0: no limit)
    AdaptiveHold(const PortSettings& settings, double bound, std::uint64_t most_bytes)
        : sleep_(to_seconds(settings.level[0].sleep)),
          wake_(to_seconds(settings.level[0].wake)),
          bound_(bound),
          most_bytes_(most_bytes) {}

    /// Returns whether update() is due.
    bool due(Time now) const { return now - last_ >= kPeriod; }

    /// frames, bytes, busy: all that has arrived at the port so far, and the time it takes to send it.
    Choice update(Time now, std::uint64_t frames, std::uint64_t bytes, Time busy) {
        const double span = to_seconds(now - last_);
        const double weight = span / (span + kMemory);
        const auto count = static_cast<double>(frames - frames_);
        rate_ += weight * (count / span - rate_);
        load_ += weight * (to_seconds(busy - busy_) / span - load_);
        if (count > 0) {
            frame_bytes_ += weight * (static_cast<double>(bytes - bytes_) / count - frame_bytes_);
        }
        last_ = now;
        frames_ = frames;
        bytes_ = bytes;
        busy_ = busy;
        return choose();
    }

    /// Returns the mean delay that a hold of `hold` s adds to that of an always active link at `rate`
    /// frames/s (no trigger), s.
    double added_delay(double hold, double rate) const {
        double low = 0;
        double slope = 0;
        if (hold > sleep_) {
            low = hold - sleep_ + 1 / rate;
            slope = rate * (hold * hold - sleep_ * sleep_) / 2 + hold;
        } else {
            const double quiet = portable::exp(-rate * (sleep_ - hold));
            low = quiet / rate;
            slope = quiet * hold;
        }
        const double present = sleep_ + low + wake_;
        return (rate * sleep_ * sleep_ / 2 + slope + wake_ * rate * (sleep_ + low) +
                rate * wake_ * wake_ / 2) /
               (rate * present);
    }

    /// Chooses hold and trigger for the measured load.
    Choice choose() const {
        constexpr double kIdle = 1;  // frames/s below which the load is as good as none
        const double rate = std::max(rate_, kIdle);
        double low = 0;
        double high = 2 * bound_;  // at a high rate the mean delay is half the hold
        for (int i = 0; i < 30; ++i) {
            const double middle = (low + high) / 2;
            (added_delay(middle, rate) <= bound_ ? low : high) = middle;
        }
        const double expected = 1 + rate * low;
        double trigger = 2 * expected;
        if (most_bytes_ != 0) {
            trigger = std::min(trigger, static_cast<double>(most_bytes_) / std::max(frame_bytes_, 64.0));
        }
        return {seconds(low), static_cast<std::uint64_t>(std::max(1.0, std::ceil(trigger)))};
    }

    /// Returns the measured utilisation of the port.
    double load() const { return load_; }

  private:
    static constexpr Time kPeriod = kMillisecond;
    static constexpr double kMemory = 10e-3;  // s

    double sleep_;
    double wake_;
    double bound_;
    std::uint64_t most_bytes_;
    Time last_ = 0;
    std::uint64_t frames_ = 0;
    std::uint64_t bytes_ = 0;
    Time busy_ = 0;
    double rate_ = 0;         // frames/s
    double load_ = 0;         // 1
    double frame_bytes_ = 0;  // bytes
};

}  // namespace netsim::eee
