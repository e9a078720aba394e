#pragma once
/// Link of the network, one direction of a cable: a byte-limited queue, an EEE port, and the wire behind it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "netsim/config.hpp"
#include "netsim/eee/adaptive.hpp"
#include "netsim/eee/transmitter.hpp"
#include "netsim/memory.hpp"
#include "netsim/packet.hpp"
#include "netsim/random.hpp"
#include "netsim/time.hpp"

namespace netsim {

/// Packets of a link from their arrival at the queue to their arrival at the far end, in one ring: those on
/// the wire, then those whose transmission is planned, then those held. Memory grows with what is needed,
/// never by packet.
class PacketRing {
  public:
    PacketRing() : slots_(allocate(kFirst)) {}
    PacketRing(PacketRing&& other) noexcept
        : slots_(std::exchange(other.slots_, nullptr)),
          mask_(other.mask_),
          begin_(other.begin_),
          end_(other.end_) {}
    PacketRing& operator=(PacketRing&&) = delete;
    ~PacketRing() { release(slots_, mask_ + std::size_t{1}); }

    std::uint32_t begin() const { return begin_; }
    std::uint32_t end() const { return end_; }
    bool empty() const { return begin_ == end_; }
    Packet& operator[](std::uint32_t i) { return slots_[i & mask_].packet; }
    /// Begin of the packet's transmission; until that is planned, its arrival.
    Time& start(std::uint32_t i) { return slots_[i & mask_].start; }

    std::uint32_t push(const Packet& packet, Time start) {
        if (end_ - begin_ > mask_) {
            grow();
        }
        slots_[end_ & mask_] = {packet, start};
        return end_++;
    }
    void pop() { ++begin_; }
    /// An empty ring begins anew, so that one that is never long stays in the same few cache lines.
    void rewind() { begin_ = end_ = 0; }
    std::size_t memory() const { return (mask_ + std::size_t{1}) * sizeof(Slot); }

  private:
    struct Slot {
        Packet packet;
        Time start;
    };

    void grow() {
        const std::uint32_t mask = 2 * mask_ + 1;
        Slot* slots = allocate(mask + std::size_t{1});
        for (std::uint32_t i = begin_; i != end_; ++i) {
            slots[i & mask] = slots_[i & mask_];
        }
        release(slots_, mask_ + std::size_t{1});
        slots_ = slots;
        mask_ = mask;
    }

    static Slot* allocate(std::size_t slots) {
        auto* block = static_cast<Slot*>(small_blocks().allocate(slots * sizeof(Slot), alignof(Slot)));
        std::uninitialized_value_construct_n(block, slots);
        return block;
    }
    static void release(Slot* slots, std::size_t count) {
        if (slots != nullptr) {
            small_blocks().deallocate(slots, count * sizeof(Slot), alignof(Slot));
        }
    }

    static constexpr std::uint32_t kFirst = 8;
    Slot* slots_;
    std::uint32_t mask_ = kFirst - 1;
    std::uint32_t begin_ = 0;
    std::uint32_t end_ = 0;
};

/// Verdict of a queue on a packet.
enum class Verdict : std::uint8_t { queue, mark, drop };

/// Random early detection (S. Floyd, V. Jacobson, 1993): the mean queue decides, drops are spread evenly.
class Red {
  public:
    explicit Red(const QueueConfig& config)
        : min_(static_cast<double>(config.min_bytes)),
          span_(static_cast<double>(config.max_bytes) - min_),
          probability_(config.probability),
          weight_(config.weight),
          ecn_(config.ecn) {}

    /// waiting: bytes in the queue; idle: packets that could have been sent while it was empty.
    Verdict judge(std::uint64_t waiting, double idle, bool capable, Random& random) {
        for (; idle >= 1 && mean_ > 1e-3; --idle) {
            mean_ *= 1 - weight_;
        }
        mean_ += weight_ * (static_cast<double>(waiting) - mean_);
        const double over = (mean_ - min_) / span_;
        if (over < 0) {
            since_ = -1;
            return Verdict::queue;
        }
        if (over < 1) {
            ++since_;
            const double p = over * probability_;
            const double left = 1 - since_ * p;
            if (left > 0 && random.uniform() * left >= p) {
                return Verdict::queue;
            }
        }
        since_ = 0;
        return ecn_ && capable && over < 1 ? Verdict::mark : Verdict::drop;
    }

  private:
    double min_;
    double span_;
    double probability_;
    double weight_;
    bool ecn_;
    double mean_ = 0;
    double since_ = -1;  // packets since the last mark or drop
};

/// State that only links with marking, early detection or adaptive settings have.
struct LinkExtras {
    std::uint64_t mark_bytes = ~std::uint64_t{0};
    std::optional<Red> red;
    std::optional<eee::AdaptiveHold> adaptive;
};

/// State of a link; Network moves packets through it. In large networks most of the time goes into fetching
/// this from memory: the first cache line is what arrivals at the far end touch, the second what sending
/// adds.
struct alignas(64) Link {
    PacketRing ring;
    std::uint32_t waiting_from = 0;  ///< first packet in the ring that counts as waiting
    std::uint32_t held_from = 0;     ///< first packet in the ring without a planned transmission
    std::uint32_t byte_time = 0;     ///< ps
    bool to_host = false;
    bool sampled = false;       ///< delays are counted
    bool plain = true;          ///< drop-tail, static settings, no trace: nothing special to do
    bool scheduled = false;     ///< an arrival event is pending
    std::uint64_t waiting = 0;  ///< bytes of packets whose transmission has not begun, when last looked at
    std::uint64_t buffer = 0;   ///< most bytes that may wait
    Time latency = 0;
    Time jitter = 0;  ///< of the receiving host: up to this much is added to the latency, order kept
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;  ///< on the wire, preamble and gap included
    eee::Transmitter transmitter;
    Time timer_at = kNever;  ///< of the pending timer event
    std::uint64_t drops = 0;
    std::uint64_t dropped_bytes = 0;
    std::uint64_t marks = 0;
    bool symmetric = false;  ///< low power idle only while both directions ask for it
    LinkClass link_class = LinkClass::edge;
    Time both_low = 0;  ///< symmetric: time in which both directions asked for low power idle
    std::unique_ptr<LinkExtras> extras;  ///< never null where `plain` is false

    explicit Link(const eee::PortSettings& settings) : transmitter(settings) {}

    /// Updates `waiting` to the present.
    void look(Time now) {
        while (waiting_from != held_from && ring.start(waiting_from) <= now) {
            waiting -= ring[waiting_from++].bytes;
        }
    }
};

}  // namespace netsim
