#pragma once
/// Congestion control: how the window grows and shrinks. In segments.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "netsim/config.hpp"
#include "netsim/time.hpp"

namespace netsim::tcp {

/// The window of one sender.
class Congestion {
  public:
    explicit Congestion(const TcpConfig& config) : window_(config.initial_window), flavour_(config.flavour) {}

    double window() const { return window_; }
    bool slow_start() const { return window_ < threshold_; }

    /// Grows the window by `acked` segments acknowledged outside of recovery; `limit`: the receiver's window.
    void on_ack(std::uint32_t acked, double limit, Time now, Time rtt) {
        if (window_ >= limit) {
            return;  // the window is not what limits the sender
        }
        if (slow_start()) {
            // One segment an acknowledgement, however much it covers (RFC 5681, as ns-2 and ns-3 do).
            window_ = std::min(window_ + std::min(acked, 1U), std::max(threshold_, window_));
        } else if (flavour_ == TcpConfig::Flavour::cubic) {
            grow_cubic(acked, now, rtt);
        } else {
            window_ += acked / window_;
        }
        window_ = std::min(window_, limit);
    }

    /// Reacts to a lost segment with `flight` segments outstanding (RFC 6582, RFC 9438).
    void on_loss(std::uint32_t flight) {
        shrink(flavour_ == TcpConfig::Flavour::cubic ? kCubicBeta : 0.5, flight);
        window_ = threshold_;
    }

    /// Reacts to a retransmission timeout. `again`: of a segment that timed out before.
    void on_timeout(std::uint32_t flight, bool again) {
        if (!again) {
            shrink(flavour_ == TcpConfig::Flavour::cubic ? kCubicBeta : 0.5, flight);
        }
        window_ = 1;
    }

    /// Reacts to echoed marks; at most once per round trip.
    void on_echo(std::uint32_t flight) {
        if (flavour_ == TcpConfig::Flavour::dctcp) {
            threshold_ = std::max(window_ * (1 - alpha_ / 2), kLeast);
            window_ = threshold_;
        } else {
            on_loss(flight);
        }
    }

    /// Updates DCTCP's estimate of the share of marked segments (RFC 8257), once per window.
    void on_window(std::uint32_t acked, std::uint32_t marked) {
        constexpr double kGain = 1.0 / 16;
        if (acked > 0) {
            alpha_ += kGain * (static_cast<double>(marked) / acked - alpha_);
        }
    }
    double alpha() const { return alpha_; }

    /// Reduces the window after an idle time of a retransmission timeout or more (RFC 5681).
    void on_idle(double initial) {
        window_ = std::min(window_, initial);
        epoch_ = -1;  // cubic: the idle time is no time of growth (RFC 9438, 5.8)
    }

  private:
    static constexpr double kLeast = 2;
    static constexpr double kCubicBeta = 0.7;
    static constexpr double kCubicScale = 0.4;  // segments/s^3

    void shrink(double factor, std::uint32_t flight) {
        if (flavour_ == TcpConfig::Flavour::cubic) {
            peak_ = window_ < peak_ ? window_ * (1 + kCubicBeta) / 2 : window_;  // fast convergence
            epoch_ = -1;
        }
        threshold_ = std::max(std::min<double>(flight, window_) * factor, kLeast);
        if (flavour_ == TcpConfig::Flavour::newreno) {
            threshold_ = std::max(flight * factor, kLeast);
        }
    }

    /// RFC 9438, with the Reno-friendly region.
    void grow_cubic(std::uint32_t acked, Time now, Time rtt) {
        if (epoch_ < 0) {
            epoch_ = now;
            friendly_ = window_;
            start_ = window_ < peak_ ? cube_root((peak_ - window_) / kCubicScale) : 0;
            peak_ = std::max(peak_, window_);
        }
        const double t = to_seconds(now - epoch_ + rtt) - start_;
        const double target = std::clamp(peak_ + kCubicScale * t * t * t, window_, 1.5 * window_);
        constexpr double kFriendly = 3 * (1 - kCubicBeta) / (1 + kCubicBeta);
        friendly_ += kFriendly * acked / window_;
        window_ += (target - window_) / window_ * acked;
        window_ = std::max(window_, friendly_);
    }

    /// Newton's method: the standard library's need not be the same everywhere.
    static double cube_root(double x) {
        double y = x > 1 ? x : 1;
        for (int i = 0; i < 60; ++i) {
            const double next = y - (y - x / (y * y)) / 3;
            if (next >= y) {
                break;
            }
            y = next;
        }
        return y;
    }

    double window_;
    double threshold_ = 1e9;
    double alpha_ = 1;
    double peak_ = 0;      // cubic: window before the last loss
    double start_ = 0;     // cubic: s from the loss until the window is back there
    double friendly_ = 0;  // cubic: the window that Reno would have
    Time epoch_ = -1;      // cubic: begin of the growth since the last loss
    TcpConfig::Flavour flavour_;
};

}  // namespace netsim::tcp
