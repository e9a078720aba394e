#include "netsim/calendar_queue.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace netsim {
namespace {

constexpr unsigned kShortestDay = 22;  // bits of ps, 4.2 us: about as long as a 10 Gbit/s port takes to wake
constexpr std::size_t kSlots = 2048;   // of the counting sort, at most
constexpr std::size_t kFew = 16;       // events that are sorted without it

}  // namespace

void CalendarQueue::plan(Time least, Time usual) {
    const auto needed = static_cast<std::uint64_t>(usual) / (kDays / 2);
    shift_ = std::max(kShortestDay, static_cast<unsigned>(std::bit_width(needed)));
    lead_ = std::max(least, Time{1} << shift_);
    days_.resize(kDays);
    begins_.resize(kSlots);
}

void CalendarQueue::sort_days() {
    sorted_.erase(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(next_));
    next_ = 0;
    const std::uint64_t last = day_of(first_.time + lead_);
    const bool idle = sorted_.empty() && late_.empty();
    while (in_days_ + far_.size() != 0 &&
           ((idle && sorted_.empty()) || (sorted_.size() < kAhead && today_ <= last))) {
        if (idle && in_days_ == 0) {
            today_ = day_of(far_.first().time);
        }
        while (!far_.empty() && day_of(far_.first().time) < today_ + kDays) {
            add_to_day(far_.first());
            far_.pop_first();
        }
        if (!day(today_).empty()) {
            sort_today();
        }
        ++today_;
    }
    sorted_until_ = static_cast<Time>(today_ << shift_);
    sort_from_ = sorted_until_ - lead_;
}

void CalendarQueue::sort_today() {
    std::vector<Event>& events = day(today_);
    in_days_ -= events.size();
    const std::size_t before = sorted_.size();
    sorted_.resize(before + events.size());
    Event* const to = sorted_.data() + before;
    if (events.size() < kFew) {
        std::copy(events.begin(), events.end(), to);
    } else {
        const std::size_t slots = std::bit_ceil(std::min(2 * events.size(), kSlots));
        const auto slot = [shift = shift_ - static_cast<unsigned>(std::countr_zero(slots)),
                           mask = slots - 1](const Event& event) {
            return static_cast<std::size_t>(event.time >> shift) & mask;
        };
        std::fill_n(begins_.begin(), slots, 0U);
        for (const Event& event : events) {
            ++begins_[slot(event)];
        }
        std::uint32_t begin = 0;
        for (std::size_t i = 0; i != slots; ++i) {
            begin += std::exchange(begins_[i], begin);
        }
        for (const Event& event : events) {
            to[begins_[slot(event)]++] = event;
        }
    }
    for (std::size_t i = 1; i < events.size(); ++i) {  // they are nearly in order now
        const Event event = to[i];
        std::size_t at = i;
        for (; at != 0 && EventQueue::before(event, to[at - 1]); --at) {
            to[at] = to[at - 1];
        }
        to[at] = event;
    }
    events.clear();
    spare_.emplace_back();
    spare_.back().swap(events);
}

}  // namespace netsim
