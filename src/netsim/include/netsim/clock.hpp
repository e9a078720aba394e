#pragma once
/// What parts outside the packet path need of the simulator: the time, and to be called at a time.

#include <cstdint>

#include "netsim/time.hpp"

namespace netsim {

/// Something that can be called at a simulated time. It must outlive its pending calls.
struct Handler {
    virtual void on_event(Time now, std::uint64_t argument) = 0;

  protected:
    ~Handler() = default;
};

/// The simulated clock.
class Clock {
  public:
    virtual Time now() const = 0;
    /// Calls `to.on_event(when, argument)` once. Calls at equal times come in the order they were asked for.
    /// `when` must not be before `now()`.
    virtual void at(Time when, Handler& to, std::uint64_t argument) = 0;

  protected:
    ~Clock() = default;
};

}  // namespace netsim
