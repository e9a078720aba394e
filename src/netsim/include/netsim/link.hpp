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
    /// `timed`: keeps the begin of each packet's transmission beside it.
    explicit PacketRing(bool timed = false) : PacketRing(timed, kFirst - 1) {}
    PacketRing(PacketRing&& other) noexcept
        : timed_(other.timed_),
          mask_(other.mask_),
          begin_(other.begin_),
          end_(other.end_),
          slots_(std::exchange(other.slots_, nullptr)) {}
    PacketRing& operator=(PacketRing&&) = delete;
    ~PacketRing() { release(); }

    std::uint32_t begin() const { return begin_; }
    std::uint32_t end() const { return end_; }
    bool empty() const { return begin_ == end_; }
    bool timed() const { return timed_; }
    Packet& operator[](std::uint32_t i) { return slots_[i & mask_]; }
    const Packet& operator[](std::uint32_t i) const { return slots_[i & mask_]; }
    /// Begin of the packet's transmission, in a timed ring.
    Time& start(std::uint32_t i) { return starts()[i & mask_]; }

    std::uint32_t push(const Packet& packet) {
        if (end_ - begin_ > mask_) {
            grow();
        }
        slots_[end_ & mask_] = packet;
        return end_++;
    }
    void pop() { ++begin_; }
    /// An empty ring begins anew, so that one that is never long stays in the same few cache lines.
    void rewind() { begin_ = end_ = 0; }
    std::size_t memory() const { return bytes(mask_ + std::size_t{1}); }

  private:
    std::size_t bytes(std::size_t slots) const {
        return slots * (sizeof(Packet) + (timed_ ? sizeof(Time) : 0));
    }
    Time* starts() { return reinterpret_cast<Time*>(slots_ + mask_ + 1); }

    void grow() {
        PacketRing larger(timed_, 2 * mask_ + 1);
        for (std::uint32_t i = begin_; i != end_; ++i) {
            larger[i] = (*this)[i];
            if (timed_) {
                larger.start(i) = start(i);
            }
        }
        std::swap(slots_, larger.slots_);
        std::swap(mask_, larger.mask_);
    }

    PacketRing(bool timed, std::uint32_t mask)
        : timed_(timed), mask_(mask), slots_(allocate(mask + std::size_t{1})) {}

    Packet* allocate(std::size_t slots) const {
        auto* block = static_cast<Packet*>(small_blocks().allocate(bytes(slots), kCacheLine));
        std::uninitialized_value_construct_n(block, slots);
        if (timed_) {
            std::uninitialized_value_construct_n(reinterpret_cast<Time*>(block + slots), slots);
        }
        return block;
    }
    void release() {
        if (slots_ != nullptr) {
            small_blocks().deallocate(slots_, memory(), kCacheLine);
        }
    }

    static constexpr std::uint32_t kFirst = 8;
    bool timed_;
    std::uint32_t mask_;
    std::uint32_t begin_ = 0;
    std::uint32_t end_ = 0;
    Packet* slots_;  // with `starts()` behind them
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
    std::uint32_t far_from = 0;      ///< first packet in the ring whose arrival has not been scheduled
    std::uint32_t byte_time = 0;     ///< ps
    bool to_host = false;
    bool sampled = false;    ///< delays are counted
    bool plain = true;       ///< drop-tail, static settings, no trace: nothing special to do
    bool symmetric = false;  ///< low power idle only while both directions ask for it
    LinkClass link_class = LinkClass::edge;
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
    Time both_low = 0;  ///< symmetric: time in which both directions asked for low power idle
    std::unique_ptr<LinkExtras> extras;  ///< never null where `plain` is false

    /// `jitters`: `jitter` will not be 0.
    Link(const eee::PortSettings& settings, bool jitters) : ring(jitters), transmitter(settings) {}

    /// Returns the time that a frame with packet and gap takes on the wire.
    Time length(const Packet& packet) const {
        return static_cast<Time>(packet.bytes + kPreambleAndGap) * byte_time;
    }
    /// Returns the begin of the transmission of a packet for which it is planned.
    Time start(std::uint32_t i) {
        return ring.timed() ? ring.start(i) : ring[i].arrives - latency - length(ring[i]);
    }

    /// Updates `waiting` to the present.
    void look(Time now) {
        while (waiting_from != held_from && start(waiting_from) <= now) {
            waiting -= ring[waiting_from++].bytes;
        }
    }
};

}  // namespace netsim
