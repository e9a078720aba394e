#pragma once
/// Port with its transmitter, for callers that know the duration of every frame: no call per sent frame.

#include <cstdint>

#include "netsim/eee/port.hpp"
#include "netsim/time.hpp"

namespace netsim::eee {

/// Frames are sent in the order of arrive(). When that returns true, the times of all frames so far can be
/// had from place(), once per frame, in the same order; when it returns false, they wait for a later arrive()
/// or timer().
class Transmitter {
  public:
    explicit Transmitter(const PortSettings& settings) : port_(settings) {}

    /// Notes that a frame of `bytes` bytes arrives at `now`.
    bool arrive(Time now, std::uint32_t bytes) {
        if (now <= free_) {  // sending, or waking with all times known
            return true;
        }
        return wake(now, port_after_last_frame().enqueue(now, bytes));
    }

    /// Handles the timer, at next_call() while frames wait. Returns as arrive().
    bool timer(Time now) { return wake(now, port_.timer(now)); }
    /// Returns the end of the hold of waiting frames.
    Time next_call() const { return port_.next_call(); }

    /// Returns the begin of the transmission, of length `length`, of the next frame.
    Time place(Time length) {
        const Time start = free_;
        free_ += length;
        return start;
    }

    /// Returns when the last frame placed has left; not after now: the transmitter is idle.
    Time free() const { return free_; }

    /// Returns the port as it is at `now`.
    const Port& port(Time now) {
        if (free_ < now) {  // at free_ itself a frame may still follow without a gap
            port_after_last_frame().update(now);
        } else {
            port_.update(now);
        }
        return port_;
    }
    /// Returns the port for changes of its settings.
    Port& port() { return port_; }

  private:
    Port& port_after_last_frame() {
        if (sending_) {
            sending_ = false;
            port_.transmit_done(free_, true);
        }
        return port_;
    }

    bool wake(Time now, Time ready) {
        if (ready >= kNever) {
            return false;
        }
        free_ = ready < now ? now : ready;
        sending_ = true;
        return true;
    }

    Time free_ = -1;        // end of what has been placed
    bool sending_ = false;  // the port has not been told yet that all has been sent
    Port port_;
};

}  // namespace netsim::eee
