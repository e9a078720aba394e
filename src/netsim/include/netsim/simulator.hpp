#pragma once
/// Discrete-event simulator: clock and event loop.

#include <cassert>
#include <cstdint>
#include <utility>
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
        const EventQueue::Event event(when, sequence_++, kind, index);
        if (of_link(kind)) {
            links_.push(event);
        } else {
            others_.push(event);
            first_other_ = others_.first();
        }
    }
    /// Replaces the link event being handled, which must not have been finished yet, by another.
    void replace(Time when, EventKind kind, std::uint32_t index) {
        assert(when >= now_ && of_link(kind));
        links_.replace_first({when, sequence_++, kind, index});
    }
    /// Finishes the link event being handled.
    void finish() { links_.pop_first(); }

    /// Sets how many link events run() shows ahead, 1 to AheadQueue::kMost; before anything is scheduled.
    void look_ahead(std::size_t events) { links_.show(events); }

    /// Runs until no event is pending or stop() is called. `dispatch(kind, index)` must call replace() or
    /// finish() for events of links before it schedules anything. Handlers are called here. `prepare(queue)`
    /// is called before each event of a link, with those of links that follow.
    template <class Dispatch, class Prepare>
    void run(Dispatch&& dispatch, Prepare&& prepare) {
        stopped_ = false;
        while (!stopped_) {
            if (links_.empty() || EventQueue::before(first_other_, links_.first())) {
                if (others_.empty()) {
                    break;
                }
                const EventQueue::Event event = first_other_;
                others_.pop_first();
                first_other_ = others_.empty() ? kNoEvent : others_.first();
                begin(event);
                if (event.kind() == EventKind::handler) {
                    const Call call = calls_[event.index()];
                    free_.push_back(event.index());
                    call.to->on_event(now_, call.argument);
                } else {
                    dispatch(event.kind(), event.index());
                }
            } else {
                const EventQueue::Event event = links_.first();
                prepare(std::as_const(links_));
                begin(event);
                dispatch(event.kind(), event.index());
            }
        }
    }

    /// Runs without preparing anything.
    template <class Dispatch>
    void run(Dispatch&& dispatch) {
        run(std::forward<Dispatch>(dispatch), [](const AheadQueue&) {});
    }

    void stop() { stopped_ = true; }
    std::uint64_t events() const { return events_; }
    std::size_t pending() const { return links_.size() + others_.size(); }

  private:
    struct Call {
        Handler* to;
        std::uint64_t argument;
    };

    static constexpr bool of_link(EventKind kind) {
        return kind == EventKind::link_arrival || kind == EventKind::link_timer;
    }
    void begin(const EventQueue::Event& event) {
        assert(event.time >= now_);
        now_ = event.time;
        ++events_;
    }

    static inline const EventQueue::Event kNoEvent{2 * kNever, 0, EventKind::handler, 0};

    // Apart, because timers are many and mostly look at a deadline that has moved on, while links are few and
    // make nearly all events.
    AheadQueue links_;
    EventQueue others_;
    EventQueue::Event first_other_ = kNoEvent;
    std::uint64_t sequence_ = 0;
    Time now_ = 0;
    std::uint64_t events_ = 0;
    bool stopped_ = false;
    std::vector<Call> calls_;
    std::vector<std::uint32_t> free_;
};

}  // namespace netsim
