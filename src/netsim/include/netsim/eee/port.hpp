#pragma once
/// State machine of one direction of an Energy Efficient Ethernet link: send times, time and energy by state.
///
/// The class knows no queue, no clock and no event list: any host can use it. The host calls, in order of
/// time,
///   enqueue        for every frame that joins the queue,
///   transmit_done  when a frame has left (`empty`: it was the last one),
///   timer          at next_call(), which every call may change,
/// and sends only from ready() on. Between calls the port moves by itself, so that a host that knows when the
/// queue has run empty may report it later, as long as the order of time is kept.

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "netsim/eee/settings.hpp"
#include "netsim/time.hpp"

namespace netsim::eee {

enum class State : std::uint8_t { active, sleep, lpi, wake };

/// Holds of waiting frames by what ended them. A standard port's are all ended by their first frame, the
/// trigger.
struct HoldEnds {
    std::uint64_t by_trigger = 0;  ///< as many frames (or bytes) waited as the trigger says
    std::uint64_t by_full = 0;     ///< the buffer was full before that
    std::uint64_t by_timer = 0;    ///< the hold had lasted its time

    HoldEnds& operator+=(const HoldEnds& other) {
        by_trigger += other.by_trigger;
        by_full += other.by_full;
        by_timer += other.by_timer;
        return *this;
    }
};

/// Time by state; the sum is the time since the begin.
struct Account {
    Time active = 0;            ///< awake, sending or idle
    Time sleep = 0;             ///< on the way into low power idle
    std::array<Time, 2> lpi{};  ///< low power idle, by level
    Time wake = 0;              ///< on the way out of it
    Time refresh = 0;           ///< the part of `lpi` spent refreshing
    std::uint64_t wakes = 0;    ///< wake-ups
    std::uint64_t aborts = 0;   ///< transitions to sleep ended by a frame
    HoldEnds holds{};           ///< holds by what ended them

    Time low() const { return lpi[0] + lpi[1]; }
    Time total() const { return active + sleep + low() + wake; }
};

/// Energy relative to an active port: seconds at full power.
inline double relative_energy(const Account& account, const PortSettings& settings) {
    const double high = to_seconds(account.active + account.sleep + account.wake);
    double low = 0;
    for (std::size_t i = 0; i < account.lpi.size(); ++i) {
        low += to_seconds(account.lpi[i]) * settings.level[i].power;
    }
    return high + low + to_seconds(account.refresh) * (1 - settings.level[0].power);
}

/// Observer of state changes: called with `context`, the time and the new state.
using Observer = void (*)(void* context, Time when, State state);

class Port {
  public:
    /// A port begins in its first level of low power idle, one that never sleeps active.
    explicit Port(const PortSettings& settings, Time now = 0) : since_(now), settings_(settings) {
        if (settings_.stall >= kNever) {
            phase_ = Phase::idle;
            ready_ = now;
        } else {
            rest(now);
        }
    }

    /// Notes that a frame of `bytes` bytes joins the queue. Returns ready().
    Time enqueue(Time now, std::uint32_t bytes) {
        update(now);
        switch (phase_) {
            case Phase::active:
                break;
            case Phase::idle:
                enter(Phase::active, now, kNever);
                break;
            case Phase::wake:
                ++held_packets_;
                break;
            case Phase::sleep:
            case Phase::lpi:
                hold(now, bytes);
                break;
        }
        return ready_;
    }

    /// Notes that a frame has been sent; `empty`: the queue is empty.
    void transmit_done(Time now, bool empty) {
        update(now);
        assert(phase_ == Phase::active || phase_ == Phase::idle);
        if (empty) {
            enter(Phase::idle, now, now + settings_.stall);
        }
    }

    /// Handles the timer, at next_call(); harmless at other times. Returns ready().
    Time timer(Time now) {
        update(now);
        if (held_packets_ != 0 && now >= deadline_) {
            ++account_.holds.by_timer;
            end_hold(now);
            update(now);
        }
        return ready_;
    }

    /// Returns the earliest time at which a frame may be sent: kNever while the port sleeps and nothing has
    /// asked it to wake, or while frames are held and the time is not known yet.
    Time ready() const { return ready_; }
    bool may_start(Time now) const { return ready_ <= now; }

    /// Returns when to call timer(): at the end of the hold, or when held frames may be sent; kNever: not at
    /// all.
    Time next_call() const {
        if (held_packets_ == 0) {
            return kNever;
        }
        return ready_ < kNever ? ready_ : deadline_;
    }

    /// Advances the port to `now`.
    void update(Time now) {
        while (ends_ <= now) {
            step(ends_);
        }
        assert(now >= since_);
    }

    /// Returns the state at `now`, which must not be before the last call.
    State state(Time now) const { return moved_to(now).state_of_phase(); }
    /// Returns since when, at `now`, the port has been in low power idle; kNever when it is not.
    Time low_since(Time now) const {
        const Port port = moved_to(now);
        return port.phase_ == Phase::lpi ? port.since_ : kNever;
    }
    /// Returns the time by state from the begin to `now`.
    Account account(Time now) const {
        Port port = moved_to(now);
        port.close(now);
        return port.account_;
    }

    const PortSettings& settings() const { return settings_; }
    /// Changes the hold and its trigger from the next held frame on.
    void set_hold(Time hold, std::uint64_t trigger) {
        settings_.hold = hold;
        settings_.trigger = trigger;
    }
    /// Changes how many held bytes wake the port whatever the trigger says.
    void set_full(std::uint64_t bytes) { settings_.full_bytes = bytes; }
    /// Reports every further change of state to `observer`.
    void observe(Observer observer, void* context) {
        observer_ = observer;
        context_ = context;
    }
    std::uint64_t held_packets() const { return held_packets_; }

  private:
    /// `idle` is active without a frame: the stall timer runs.
    enum class Phase : std::uint8_t { active, idle, sleep, lpi, wake };

    State state_of_phase() const {
        switch (phase_) {
            case Phase::sleep:
                return State::sleep;
            case Phase::lpi:
                return State::lpi;
            case Phase::wake:
                return State::wake;
            default:
                return State::active;
        }
    }

    Port moved_to(Time now) const {
        Port port = *this;
        port.observer_ = nullptr;
        port.update(now);
        return port;
    }

    const LpiLevel& level() const { return settings_.level[level_]; }

    /// Adds the time since the phase began to its state.
    void close(Time now) {
        const Time spent = now - since_;
        since_ = now;
        switch (phase_) {
            case Phase::active:
            case Phase::idle:
                account_.active += spent;
                break;
            case Phase::sleep:
                account_.sleep += spent;
                break;
            case Phase::lpi:
                account_.lpi[level_] += spent;
                if (settings_.refresh > 0) {
                    const Time period = settings_.quiet + settings_.refresh;
                    account_.refresh += spent / period * settings_.refresh +
                                        std::max<Time>(0, spent % period - settings_.quiet);
                }
                break;
            case Phase::wake:
                account_.wake += spent;
                break;
        }
    }

    void enter(Phase phase, Time now, Time ends) {
        close(now);
        const State before = state_of_phase();
        phase_ = phase;
        ends_ = ends;
        if (observer_ != nullptr && state_of_phase() != before) {
            observer_(context_, now, state_of_phase());
        }
    }

    /// Ends the phase, whose time is over at `now`.
    void step(Time now) {
        switch (phase_) {
            case Phase::idle:
                level_ = 0;
                ready_ = kNever;
                enter(Phase::sleep, now, now + level().sleep);
                break;
            case Phase::sleep:
                rest(now);
                break;
            case Phase::lpi:  // only without held frames
                close(now);
                level_ = 1;
                enter(Phase::sleep, now, now + level().sleep);
                break;
            case Phase::wake:
                held_packets_ = held_bytes_ = 0;
                enter(Phase::active, now, kNever);
                break;
            case Phase::active:
                assert(false);
                break;
        }
    }

    /// Enters low power idle.
    void rest(Time now) {
        const bool deepens = level_ + 1 < settings_.levels && held_packets_ == 0;
        enter(Phase::lpi, now, deepens ? now + settings_.dwell : kNever);
        if (ready_ < kNever) {  // asked to wake while still falling asleep
            wake(now);
        }
    }

    void wake(Time now) {
        ++account_.wakes;
        ready_ = now + level().wake;
        enter(Phase::wake, now, ready_);
    }

    /// Handles a frame that arrives while the port sleeps or falls asleep.
    void hold(Time now, std::uint32_t bytes) {
        if (ready_ < kNever) {
            ++held_packets_;
            return;
        }
        if (held_packets_++ == 0) {
            const Time low = phase_ == Phase::lpi ? since_ : ends_;
            deadline_ = settings_.hold_from_lpi ? std::max(now, low + settings_.hold) : now + settings_.hold;
            if (phase_ == Phase::lpi) {
                ends_ = kNever;  // no deeper while something waits
            }
        }
        held_bytes_ += bytes;
        const std::uint64_t held = settings_.trigger_bytes ? held_bytes_ : held_packets_;
        const bool triggered = held >= settings_.trigger;
        const bool full = held_bytes_ >= settings_.full_bytes;
        if (triggered || full || deadline_ <= now) {
            if (triggered) {
                ++account_.holds.by_trigger;
            } else if (full) {
                ++account_.holds.by_full;
            } else {
                ++account_.holds.by_timer;
            }
            end_hold(now);
            update(now);
        } else if (phase_ == Phase::sleep && !settings_.sleep_abort && deadline_ <= ends_) {
            ++account_.holds.by_timer;
            deadline_ = kNever;
            ready_ = ends_ + level().wake;  // nothing can change that any more
        }
    }

    /// Handles the end of the hold.
    void end_hold(Time now) {
        deadline_ = kNever;
        if (phase_ == Phase::lpi) {
            wake(now);
        } else if (phase_ == Phase::sleep && settings_.sleep_abort) {
            ++account_.aborts;
            held_packets_ = held_bytes_ = 0;
            ready_ = now;
            enter(Phase::active, now, kNever);
        } else if (phase_ == Phase::sleep) {
            ready_ = ends_ + level().wake;
        }
    }

    // What every frame changes comes first, so that it takes few cache lines.
    Phase phase_ = Phase::lpi;
    std::uint8_t level_ = 0;
    Time since_;                      // when the phase began
    Time ends_ = kNever;              // when it ends by itself
    Time ready_ = kNever;             // from when frames may be sent
    Time deadline_ = kNever;          // end of the hold
    std::uint64_t held_packets_ = 0;  // frames that wait for the port to wake
    std::uint64_t held_bytes_ = 0;
    Observer observer_ = nullptr;
    Account account_;
    PortSettings settings_;
    void* context_ = nullptr;
};

}  // namespace netsim::eee
