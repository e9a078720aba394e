#pragma once
/// Interface to the simulated clock for parts outside the packet path: current time, scheduled calls.

#include <cstdint>

#include "netsim/time.hpp"

namespace netsim {

/// Callback at a simulated time. It must outlive its pending calls.
struct Handler {
    virtual void on_event(Time now, std::uint64_t argument) = 0;

  protected:
    ~Handler() = default;
};

/// The simulated clock.
class Clock {
  public:
    virtual Time now() const = 0;
    /// Schedules one call of `to.on_event(when, argument)`. Calls at equal times run in the order of
    /// scheduling. `when` must not be before `now()`.
    virtual void at(Time when, Handler& to, std::uint64_t argument) = 0;

  protected:
    ~Clock() = default;
};

}  // namespace netsim
