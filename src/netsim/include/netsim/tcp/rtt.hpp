#pragma once
/// Estimator of round-trip time and retransmission timeout (RFC 6298).

#include <algorithm>

#include "netsim/time.hpp"

namespace netsim::tcp {

class Rtt {
  public:
    /// Adds the measured round trip of a segment that was sent once.
    void sample(Time rtt) {
        if (smoothed_ == 0) {
            smoothed_ = std::max<Time>(rtt, 1);
            deviation_ = rtt / 2;
        } else {
            const Time error = rtt > smoothed_ ? rtt - smoothed_ : smoothed_ - rtt;
            deviation_ += (error - deviation_) / 4;
            smoothed_ += (rtt - smoothed_) / 8;
        }
    }

    /// Notes that a SYN timed out: the timeout before the first sample is 3 s then (RFC 6298, 5.7).
    void handshake_timed_out() { slow_ = true; }

    /// Returns the timeout after `backoff` timeouts since the last sample; `initial` before the first sample.
    Time timeout(Time initial, Time least, Time most, unsigned backoff) const {
        constexpr Time kAfterHandshake = 3 * kSecond;
        const Time first = slow_ ? std::max(initial, kAfterHandshake) : initial;
        const Time base = smoothed_ == 0 ? first : std::max(smoothed_ + 4 * deviation_, least);
        constexpr unsigned kMostDoublings = 16;
        return std::min(base << std::min(backoff, kMostDoublings), std::max(most, base));
    }
    Time smoothed() const { return smoothed_; }

  private:
    Time smoothed_ = 0;
    Time deviation_ = 0;
    bool slow_ = false;
};

}  // namespace netsim::tcp
