#pragma once
/// Calendar queue of link events, which also shows the events that come next.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "netsim/event_queue.hpp"
#include "netsim/memory.hpp"
#include "netsim/time.hpp"

namespace netsim {

/// A calendar queue (R. Brown, 1988) each of whose days is sorted as a whole shortly before it begins. Nearly
/// all events of a network are scheduled a link's latency ahead, so that putting one in appends it to a day,
/// and the counting sort of a day has hardly a branch that the processor cannot predict, which is what a heap
/// of thousands of events spends its time on. The few events that come into a day that is sorted already go
/// into a heap. Events of equal time come in the order in which they were put in.
class CalendarQueue {
  public:
    using Event = EventQueue::Event;
    /// How many events are known in advance, as long as kMany are pending and so many are near.
    static constexpr std::size_t kAhead = 24;
    static constexpr std::size_t kMany = 1024;

    /// Sets up the days, for events that are mostly put in at least `least` and at most `usual` ahead. To be
    /// called once, before the first push().
    void plan(Time least, Time usual);

    /// Returns how far ahead an event may be to be put into a day at once.
    Time reach() const { return static_cast<Time>((kDays - 1) << shift_); }

    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    const Event& first() const { return first_; }
    /// Returns how many events are sorted; those that were put in late are not among them.
    std::size_t shown() const { return sorted_.size() - next_; }
    /// Returns the i-th event of those that are sorted; 0: the first.
    const Event& operator[](std::size_t i) const { return sorted_[next_ + i]; }

    void push(const Event& event) {
        ++size_;
        if (event.time < sorted_until_) {
            late_.push(event);
            if (size_ == 1 || EventQueue::before(event, first_)) {
                first_ = event;
                first_is_late_ = true;
            }
        } else {
            put(event);
            if (size_ == 1) {
                choose();
            }
        }
    }

    void pop_first() {
        --size_;
        if (first_is_late_) {
            late_.pop_first();
        } else {
            ++next_;
        }
        choose();
    }

  private:
    static constexpr std::size_t kDays = 128;

    std::uint64_t day_of(Time when) const { return static_cast<std::uint64_t>(when) >> shift_; }
    std::vector<Event>& day(std::uint64_t number) { return days_[number % kDays]; }

    /// Puts an event into a day that is not sorted yet.
    void put(const Event& event) {
        if (day_of(event.time) < today_ + kDays) {
            add_to_day(event);
        } else {
            far_.push(event);
        }
    }
    void add_to_day(const Event& event) {
        std::vector<Event>& events = day(day_of(event.time));
        if (events.capacity() == 0 && !spare_.empty()) {
            events.swap(spare_.back());
            spare_.pop_back();
        }
        events.push_back(event);
        ++in_days_;
    }

    /// Finds the first event.
    void choose() {
        if (shown() < (size_ < kMany ? 1 : kAhead) && in_days_ + far_.size() != 0 &&
            (first_.time >= sort_from_ || (shown() == 0 && late_.empty()))) {
            sort_days();
        }
        first_is_late_ =
            !late_.empty() && (next_ == sorted_.size() || EventQueue::before(late_.first(), sorted_[next_]));
        if (first_is_late_) {
            first_ = late_.first();
        } else if (next_ != sorted_.size()) {
            first_ = sorted_[next_];
        }
    }

    /// Sorts days until enough events are shown, as long as hardly anything will still be put into them; if
    /// there is nothing else, the next day that has events.
    void sort_days();
    void sort_today();

    Event first_{};
    bool first_is_late_ = false;
    unsigned shift_ = 0;  // a day lasts 2^shift_ ps
    std::size_t size_ = 0;
    Time sorted_until_ = 0;  // events before that are in `sorted_` or `late_`
    Time lead_ = 0;          // how far ahead days are sorted
    Time sort_from_ = 0;     // when the next day may be sorted
    std::size_t next_ = 0;   // in `sorted_`
    std::vector<Event, PageAllocator<Event>> sorted_;
    EventQueue late_;
    std::uint64_t today_ = 0;  // first day that is not sorted
    std::size_t in_days_ = 0;
    std::vector<std::vector<Event>> days_;
    std::vector<std::vector<Event>>
        spare_;       // memory of days gone by; that of the last one is still in the caches
    EventQueue far_;  // too far away for a day
    std::vector<std::uint32_t> begins_;  // of the counting sort
};

}  // namespace netsim
