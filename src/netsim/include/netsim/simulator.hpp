#pragma once
/// The clock and what is going to happen.

#include <cassert>
#include <cstdint>
#include <vector>

#include "netsim/clock.hpp"
#include "netsim/event_queue.hpp"
#include "netsim/time.hpp"

namespace netsim {

/// Runs events in order of time. Those of the packet path are an event kind and an index, which the
/// dispatcher of run() works on in a switch; everything else is a Handler.
class Simulator final : public Clock {
  public:
    Time now() const override { return now_; }
    void at(Time when, Handler& to, std::uint64_t argument) override {
        std::uint32_t slot = 0;
        if (free_.empty()) {
            slot = static_cast<std::uint32_t>(calls_.size());
            calls_.push_back({&to, argument});
        } else {
            slot = free_.back();
            free_.pop_back();
            calls_[slot] = {&to, argument};
        }
        schedule(when, EventKind::handler, slot);
    }

    void schedule(Time when, EventKind kind, std::uint32_t index) {
        assert(when >= now_);
        queue_.push(when, kind, index);
    }
    /// Ends the event that runs, of which there must not have been an end yet, and schedules another.
    void replace(Time when, EventKind kind, std::uint32_t index) {
        assert(when >= now_);
        queue_.replace_first(when, kind, index);
    }
    /// Ends the event that runs.
    void finish() { queue_.pop_first(); }

    /// Runs until nothing is left, or stop() is called. `dispatch(kind, index)` must call replace() or
    /// finish() first of all scheduling, except for handlers, which are called here.
    template <class Dispatch>
    void run(Dispatch&& dispatch) {
        stopped_ = false;
        while (!stopped_ && !queue_.empty()) {
            const EventQueue::Event event = queue_.first();
            assert(event.time >= now_);
            now_ = event.time;
            ++events_;
            if (event.kind() == EventKind::handler) {
                queue_.pop_first();
                const Call call = calls_[event.index()];
                free_.push_back(event.index());
                call.to->on_event(now_, call.argument);
            } else {
                dispatch(event.kind(), event.index());
            }
        }
    }

    void stop() { stopped_ = true; }
    std::uint64_t events() const { return events_; }
    std::size_t pending() const { return queue_.size(); }

  private:
    struct Call {
        Handler* to;
        std::uint64_t argument;
    };

    EventQueue queue_;
    Time now_ = 0;
    std::uint64_t events_ = 0;
    bool stopped_ = false;
    std::vector<Call> calls_;
    std::vector<std::uint32_t> free_;
};

}  // namespace netsim
