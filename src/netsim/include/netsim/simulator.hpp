#pragma once
/// Discrete-event simulator: clock and event loop.

#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "netsim/calendar_queue.hpp"
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
        if (!of_link(kind)) {
            others_.push(event);
            first_other_ = others_.first();
        } else if (many_) {
            calendar_.push(event);
        } else {
            links_.push(event);
            if (links_.size() > most_) {
                fill_calendar();
            }
        }
    }
    /// Finishes the link event being handled.
    void finish() {
        if (many_) {
            calendar_.pop_first();
        } else {
            links_.pop_first();
        }
    }
    /// Replaces the link event being handled, which must not have been finished yet, by another.
    void replace(Time when, EventKind kind, std::uint32_t index) {
        assert(when >= now_ && of_link(kind) && !many_);
        links_.replace_first({when, sequence_++, kind, index});
    }

    /// Lets events of links move into a calendar as soon as more than CalendarQueue::kMany are pending; they
    /// are mostly scheduled at least `least` and at most `usual` ahead. To be called before anything is
    /// scheduled.
    void allow_calendar(Time least, Time usual) {
        calendar_.plan(least, usual);
        most_ = CalendarQueue::kMany;
    }
    /// Returns whether events of links are in the calendar, whatever their number is now.
    bool many() const { return many_; }
    /// Returns how far ahead events of links should be put into the calendar. Where there is none, a link's
    /// next event should replace the one being handled.
    Time reach() const { return calendar_.reach(); }

    /// Runs until no event is pending or stop() is called. Calls `few(kind, index)` for events of links and
    /// connections as long as there is no calendar, and then `many(kind, index)`, before which it calls
    /// `prepare(calendar)`. Both must call finish(), `few` may also call replace(), for events of links
    /// before they schedule anything. Handlers are called here.
    template <class Few, class Many, class Prepare>
    void run(Few&& few, Many&& many, Prepare&& prepare) {
        stopped_ = false;
        if (!many_) {
            run_with<false>(links_, few, [](const EventQueue&) {});
        }
        if (many_) {
            run_with<true>(calendar_, many, prepare);
        }
    }

    /// Runs without a calendar.
    template <class Dispatch>
    void run(Dispatch&& dispatch) {
        assert(most_ == kNoCalendar);
        stopped_ = false;
        run_with<false>(links_, dispatch, [](const EventQueue&) {});
    }

    void stop() { stopped_ = true; }
    std::uint64_t events() const { return events_; }
    std::size_t pending() const { return calendar_.size() + links_.size() + others_.size(); }

  private:
    struct Call {
        Handler* to;
        std::uint64_t argument;
    };

    static constexpr bool of_link(EventKind kind) {
        return kind == EventKind::link_arrival || kind == EventKind::link_timer;
    }
    void fill_calendar() {
        many_ = true;
        for (; !links_.empty(); links_.pop_first()) {
            calendar_.push(links_.first());
        }
    }
    /// Runs as long as `many_` is `many`.
    template <bool many, class Queue, class Dispatch, class Prepare>
    void run_with(Queue& links, Dispatch&& dispatch, Prepare&& prepare) {
        while (!stopped_ && many_ == many) {
            if (links.empty() || EventQueue::before(first_other_, links.first())) {
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
                const EventQueue::Event event = links.first();
                prepare(std::as_const(links));
                begin(event);
                dispatch(event.kind(), event.index());
            }
        }
    }
    void begin(const EventQueue::Event& event) {
        assert(event.time >= now_);
        now_ = event.time;
        ++events_;
    }

    static constexpr std::size_t kNoCalendar = ~std::size_t{0};
    static inline const EventQueue::Event kNoEvent{2 * kNever, 0, EventKind::handler, 0};

    // Apart, because timers are many and mostly look at a deadline that has moved on, while links are few and
    // make nearly all events.
    EventQueue links_;
    CalendarQueue calendar_;  // holds events of links in place of `links_`, if `many_`
    bool many_ = false;
    std::size_t most_ = kNoCalendar;
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
