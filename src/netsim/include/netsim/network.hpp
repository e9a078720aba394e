#pragma once
/// Moves packets through queues and links.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "netsim/config.hpp"
#include "netsim/histogram.hpp"
#include "netsim/link.hpp"
#include "netsim/memory.hpp"
#include "netsim/packet.hpp"
#include "netsim/random.hpp"
#include "netsim/simulator.hpp"
#include "netsim/topology.hpp"

namespace netsim {

/// Totals over the ports of a link class.
struct ClassTotals {
    int ports = 0;
    eee::Account account;
    double energy = 0;  ///< relative: seconds at full power
    Time busy = 0;
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
    std::uint64_t drops = 0;
    std::uint64_t marks = 0;
};

/// Observer of events at ports, for traces.
class NetworkObserver {
  public:
    virtual void on_state(std::uint32_t link, Time when, eee::State state) = 0;
    /// waiting: bytes after the packet has joined (or, if `dropped`, has not joined) the queue
    virtual void on_queue(std::uint32_t link, Time when, std::uint64_t waiting, bool dropped) = 0;

  protected:
    ~NetworkObserver() = default;
};

/// Output-queued switches and hosts' ports. One event per packet and link: the time at which a packet arrives
/// at the far end is known as soon as the port is awake, packets of one link arrive in order, and only the
/// first of them is in the event queue.
class Network {
  public:
    Network(const Config& config, Simulator& simulator);
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    /// Enqueues a packet at its first link. `path` must live until it has arrived. Returns false if it was
    /// dropped.
    bool send(const Path& path, const Packet& packet) { return transmit(path.links[0], packet, packet.hop); }

    /// Handles an arrival at the far end of `link`, for Simulator::run. Calls `deliver(packet)` for packets
    /// at their host and `path(packet)` for the way of others; `lost(packet)` for dropped ones.
    template <bool many, class Deliver, class PathOf, class Lost>
    void arrive(std::uint32_t index, Deliver&& deliver, PathOf&& path_of, Lost&& lost) {
        Link& link = links_[index];
        const std::uint32_t first = link.ring.begin();
        const Packet& packet = link.ring[first];  // stays there: nothing is added to this link's ring now
        if (link.waiting_from == first) {
            link.waiting -= packet.bytes;
            ++link.waiting_from;
        }
        link.ring.pop();
        ++hops_;
        if (link.far_from == link.held_from) {
            simulator_.finish();
            if (link.ring.empty()) {
                link.ring.rewind();
                link.waiting_from = link.held_from = link.far_from = 0;
            }
        } else if constexpr (many) {
            simulator_.finish();
            schedule_near(link, index);
        } else {
            const Packet& next = link.ring[link.far_from++];
            simulator_.replace(next.arrives, EventKind::link_arrival, index);
            prefetch(&path_of(next));
        }
        if (link.to_host) {
            deliver(packet);
            return;
        }
        const auto hop = static_cast<std::uint8_t>(packet.hop + 1);
        if (!transmit(path_of(packet).links[hop & ~kFromServer], packet, hop)) {
            lost(packet);
        }
    }

    /// Prefetches what the arrivals in `queue` will need, for Simulator::run. In large networks it has to
    /// come from memory, and one address leads to the next: link, first packet, path, next link, its last
    /// packet. Every call does one of these steps for each of several arrivals. `path_of` is as for arrive();
    /// `touch(packet)` prefetches what its delivery will need.
    template <class PathOf, class Touch>
    void prepare(const CalendarQueue& queue, PathOf&& path_of, Touch&& touch) const {
        if (queue.size() < CalendarQueue::kMany || queue.shown() < kAhead) {
            return;
        }
        prefetch(&links_[queue[kToLink].index()]);
        const PacketRing& ring = links_[queue[kToPacket].index()].ring;
        prefetch(&ring[ring.begin()]);
        prefetch(&ring[ring.begin() + 1]);
        if (const Packet* packet = first_packet(queue[kToPath])) {
            prefetch(&path_of(*packet));
        }
        if (const Packet* packet = first_packet(queue[kToNextLink])) {
            const std::uint32_t index = queue[kToNextLink].index();
            if (links_[index].to_host) {
                touch(*packet);
            }
            const auto* next = reinterpret_cast<const char*>(&next_link(index, *packet, path_of));
            for (std::size_t at = 0; at < kChanges; at += kCacheLine) {
                prefetch(next + at);
            }
        }
        if (const Packet* packet = first_packet(queue[kToPlace])) {
            const PacketRing& to = next_link(queue[kToPlace].index(), *packet, path_of).ring;
            prefetch(&to[to.end()]);
        }
    }

    /// Handles the end of a hold, for Simulator::run.
    void on_timer(std::uint32_t index);

    const Topology& topology() const { return topology_; }
    Simulator& simulator() { return simulator_; }
    std::uint64_t hops() const { return hops_; }
    /// Returns the queueing and hold delay of packets at core ports.
    const Histogram& delays() const { return delays_; }
    /// `end` must not be before the last event; call it once, at the end.
    ClassTotals totals(LinkClass link_class, Time end);
    /// Returns the time by state of one link, and its traffic.
    eee::Account account(std::uint32_t link, Time end) {
        return links_[link].transmitter.port(end).account(end);
    }
    const Link& link(std::uint32_t index) const { return links_[index]; }
    std::size_t links() const { return links_.size(); }
    std::size_t memory() const;
    /// Must outlive the network's use.
    void observe(NetworkObserver& observer);
    /// Sets which packets are lost before they reach any queue; for tests of the transport.
    void lose(std::function<bool(std::uint32_t link, const Packet&)> filter);

  private:
    // By how many events the steps of prepare() go ahead of an arrival.
    static constexpr std::size_t kAhead = CalendarQueue::kAhead;
    static constexpr std::size_t kToLink = kAhead - 1;
    static constexpr std::size_t kToPacket = 18;
    static constexpr std::size_t kToPath = 13;
    static constexpr std::size_t kToNextLink = 8;
    static constexpr std::size_t kToPlace = 4;
    static constexpr std::size_t kChanges = 384;  ///< bytes at the begin of a link that sending may touch

    /// Returns the packet of an arrival; null for another event.
    const Packet* first_packet(const EventQueue::Event& event) const {
        const PacketRing& ring = links_[event.index()].ring;
        return event.kind() == EventKind::link_arrival ? &ring[ring.begin()] : nullptr;
    }
    /// Returns the link on which a packet that arrives from link `index` goes on; from its host an answer
    /// will.
    template <class PathOf>
    const Link& next_link(std::uint32_t index, const Packet& packet, PathOf&& path_of) const {
        return links_[links_[index].to_host ? index ^ 1U
                                            : path_of(packet).links[(packet.hop & ~kFromServer) + 1]];
    }

    /// hop: that of the packet from now on. False: dropped.
    bool transmit(std::uint32_t index, const Packet& packet, std::uint8_t hop) {
        Link& link = links_[index];
        const Time now = simulator_.now();
        std::uint8_t mark = 0;
        if (link.waiting + packet.bytes > link.buffer) {  // as far as known: some may have left by now
            link.look(now);
            if (link.waiting + packet.bytes > link.buffer && (packet.flags & protected_) == 0) {
                return drop(link, index, packet);
            }
        }
        if (!link.plain) {
            const Verdict verdict = judge(link, index, packet);
            if (verdict == Verdict::drop) {
                return drop(link, index, packet);
            }
            mark = verdict == Verdict::mark ? kMarked : 0;
        }
        ++link.packets;
        link.bytes += packet.bytes + kPreambleAndGap;
        link.waiting += packet.bytes;
        Packet& queued = link.ring[link.ring.push(packet)];
        queued.arrives = now;
        queued.flags |= mark;
        queued.hop = hop;
        if (link.transmitter.arrive(now, packet.bytes)) {
            plan(link, index);
        } else if (link.transmitter.next_call() < link.timer_at) {
            link.timer_at = link.transmitter.next_call();
            simulator_.schedule(link.timer_at, EventKind::link_timer, index);
        }
        return true;
    }

    /// Plans the transmission of all held packets of an awake link.
    void plan(Link& link, std::uint32_t index) {
        const std::uint32_t end = link.ring.end();
        for (std::uint32_t i = link.held_from; i != end; ++i) {
            Packet& packet = link.ring[i];
            const Time length = link.length(packet);
            const Time start = link.transmitter.place(length);
            if (link.sampled) {
                delays_.add(start - packet.arrives);
            }
            Time arrives = start + length + link.latency;
            if (link.jitter != 0) {
                link.ring.start(i) = start;
                arrives += random_.duration(link.jitter);
                if (i != link.ring.begin() && arrives < link.ring[i - 1].arrives) {
                    arrives = link.ring[i - 1].arrives;
                }
            }
            packet.arrives = arrives;
        }
        link.held_from = end;
        if (simulator_.many()) {
            schedule_near(link, index);
        } else if (link.far_from == link.ring.begin()) {
            simulator_.schedule(link.ring[link.far_from++].arrives, EventKind::link_arrival, index);
        }
    }

    /// Schedules the next arrival, and those that the calendar has a day for.
    void schedule_near(Link& link, std::uint32_t index) {
        const Time until = simulator_.now() + simulator_.reach();
        while (link.far_from != link.held_from &&
               (link.ring[link.far_from].arrives < until || link.far_from == link.ring.begin())) {
            simulator_.schedule(link.ring[link.far_from++].arrives, EventKind::link_arrival, index);
        }
    }

    bool drop(Link& link, std::uint32_t index, const Packet& packet);
    /// Everything that a plain link does not have: marking, adaptive settings, observers.
    Verdict judge(Link& link, std::uint32_t index, const Packet& packet);
    /// Receives the changes of state of EEE ports.
    struct PortWatch {
        Network* network;
        std::uint32_t index;
        Time low_since;  // begin of the present low power idle, or kNever
    };
    static void on_state(void* watch, Time when, eee::State state);
    /// Symmetric low power idle: since when both directions have been low, or kNever.
    Time both_low_since(std::uint32_t index, Time now);
    void watch_ports();
    /// Makes judge() see every packet of a link.
    static LinkExtras& special(Link& link);

    Simulator& simulator_;
    Topology topology_;
    std::vector<Link, PageAllocator<Link>> links_;
    std::vector<PortWatch> watches_;  // none if nobody watches
    std::uint8_t protected_;          // flags of packets that are never dropped
    Random random_;
    std::uint64_t hops_ = 0;
    Histogram delays_;
    NetworkObserver* observer_ = nullptr;
    std::function<bool(std::uint32_t, const Packet&)> filter_;
};

}  // namespace netsim
