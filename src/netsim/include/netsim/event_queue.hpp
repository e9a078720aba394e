#pragma once
/// Priority queue of pending events.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "netsim/memory.hpp"
#include "netsim/time.hpp"

namespace netsim {

/// Kind of an event; with an index it is all that the packet path needs.
enum class EventKind : std::uint8_t {
    link_arrival,  ///< the first packet of a link arrives at its far end
    link_timer,    ///< the hold of a link's port ends
    flow_timer,    ///< a timer of a TCP connection
    handler,       ///< anything else: a call of a Handler
};

/// A heap of degree four over 16-byte events: the four children of a node share a cache line. Events of equal
/// time come in the order in which they were put in. Most events of a network follow one of the same kind
/// from the same place, which replace_first() does in one pass.
class EventQueue {
  public:
    static constexpr unsigned kIndexBits = 22;
    static constexpr unsigned kKindBits = 2;
    static constexpr std::uint64_t kIndexMask = (std::uint64_t{1} << kIndexBits) - 1;
    static constexpr std::uint64_t kKindMask = (std::uint64_t{1} << kKindBits) - 1;

    struct Event {
        Time time;
        std::uint64_t order;  // sequence number, kind, index: sorts by sequence

        Event(Time when, std::uint64_t sequence, EventKind kind, std::uint32_t index)
            : time(when),
              order((sequence << (kIndexBits + kKindBits)) |
                    (static_cast<std::uint64_t>(kind) << kIndexBits) | index) {}
        Event() = default;

        EventKind kind() const { return static_cast<EventKind>((order >> kIndexBits) & kKindMask); }
        std::uint32_t index() const { return static_cast<std::uint32_t>(order & kIndexMask); }
    };

    static bool before(const Event& a, const Event& b) {
        __extension__ using Wide = unsigned __int128;
        const auto wide = [](const Event& e) {
            return (static_cast<Wide>(static_cast<std::uint64_t>(e.time)) << 64U) | e.order;
        };
        return wide(a) < wide(b);
    }

    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    const Event& first() const { return heap()[0]; }

    void push(const Event& event) {
        if (size_ + kPad == events_.size()) {
            events_.resize(2 * events_.size() - kPad);
        }
        sift_up(size_++, event);
    }

    /// Does pop_first() and push() in one pass.
    void replace_first(const Event& event) { sift_down(event); }

    void pop_first() {
        --size_;
        if (size_ > 0) {
            sift_down(heap()[size_]);
        }
    }

  private:
    static constexpr std::size_t kPad = 3;  // so that children begin at multiples of four

    Event* heap() { return events_.data() + kPad; }
    const Event* heap() const { return events_.data() + kPad; }

    void sift_up(std::size_t at, Event event) {
        Event* heap = this->heap();
        while (at > 0) {
            const std::size_t parent = (at - 1) / 4;
            if (!before(event, heap[parent])) {
                break;
            }
            heap[at] = heap[parent];
            at = parent;
        }
        heap[at] = event;
    }

    /// Replaces the first event by `event`.
    void sift_down(Event event) {
        Event* heap = this->heap();
        std::size_t at = 0;
        for (;;) {
            const std::size_t child = 4 * at + 1;
            if (child + 4 > size_) {
                break;
            }
            const std::size_t a = child + (before(heap[child + 1], heap[child]) ? 1 : 0);
            const std::size_t b = child + 2 + (before(heap[child + 3], heap[child + 2]) ? 1 : 0);
            const std::size_t least = before(heap[b], heap[a]) ? b : a;
            if (!before(heap[least], event)) {
                heap[at] = event;
                return;
            }
            heap[at] = heap[least];
            at = least;
        }
        const std::size_t child = 4 * at + 1;  // fewer than four children: none of them has any
        if (child < size_) {
            std::size_t least = child;
            for (std::size_t other = child + 1; other < size_; ++other) {
                least = before(heap[other], heap[least]) ? other : least;
            }
            if (before(heap[least], event)) {
                heap[at] = heap[least];
                at = least;
            }
        }
        heap[at] = event;
    }

    std::vector<Event, PageAllocator<Event>> events_ = std::vector<Event, PageAllocator<Event>>(256 + kPad);
    std::size_t size_ = 0;
};

}  // namespace netsim
