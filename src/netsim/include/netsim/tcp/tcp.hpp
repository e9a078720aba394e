#pragma once
/// TCP between hosts: requests, each answered with a number of bytes.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "netsim/config.hpp"
#include "netsim/network.hpp"
#include "netsim/random.hpp"
#include "netsim/tcp/bits.hpp"
#include "netsim/tcp/connection.hpp"

namespace netsim::tcp {

/// Counts over all connections.
struct Counters {
    std::uint64_t packets = 0;      ///< handed to hosts' ports
    std::uint64_t payload = 0;      ///< bytes accepted by receivers, each once
    std::uint64_t duplicates = 0;   ///< segments that had arrived before
    std::uint64_t segments = 0;     ///< sent, first time or again
    std::uint64_t arrived = 0;      ///< segments that reached their receiver
    std::uint64_t lost = 0;         ///< segments dropped on their way
    std::uint64_t retransmits = 0;  ///< segments, SYNs and requests sent again
    std::uint64_t timeouts = 0;     ///< retransmission timers that ran out
    std::uint64_t recoveries = 0;   ///< fast retransmits
    std::uint64_t connections = 0;
    std::uint64_t transfers = 0;  ///< completed
};

/// Observer of completed transfers, for traces.
class TransferObserver {
  public:
    virtual void on_complete(int client, int server, std::uint64_t bytes, Time begin, Time end) = 0;

  protected:
    ~TransferObserver() = default;
};

/// All connections. A connection carries one request at a time, which is one segment, and its answer. The
/// server's data is numbered in segments: a transfer fills whole segments but for its last one.
class Tcp {
  public:
    Tcp(const TcpConfig& config, std::uint64_t seed, Network& network, Simulator& simulator);

    /// See Transfers::fetch. `client` and `server` must differ.
    void fetch(int client, int server, std::uint64_t bytes, TransferDone& to, std::uint64_t tag);

    /// Handles a packet that has arrived at its host.
    void deliver(const Packet& packet);
    /// Handles the loss of a packet.
    void lost(const Packet& packet);
    void on_timer(std::uint32_t index);
    const Path& path_of(const Packet& packet) const {
        return ways_[packet.connection].path[(packet.hop & kFromServer) != 0 ? 1 : 0];
    }

    /// Prefetches what deliver() will need of the connection of a packet.
    void touch(const Packet& packet) const {
        const Connection& c = connections_[packet.connection];
        prefetch(&c.in_flight);
        prefetch(&ways_[packet.connection]);
        if ((packet.hop & kFromServer) != 0) {
            prefetch(&c.receiver.next);
            prefetch(&c.receiver.deadline);
        } else {
            prefetch(&c.sender.una);
            prefetch(&c.sender.deadline);
            prefetch(&c.sender.congestion);
        }
    }

    const Counters& counters() const { return counters_; }
    std::uint32_t open() const { return open_; }  ///< transfers under way
    /// Connections that are not closed, or that a packet still refers to.
    std::size_t live() const { return connections_.size() - free_.size(); }
    std::size_t memory() const;
    void observe(TransferObserver& observer) { observer_ = &observer; }

  private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    // tcp.cpp: connections, packets, timers
    std::uint32_t allocate(int client, int server);
    void release(std::uint32_t id);
    std::uint32_t take_idle(int client, int server);
    void transmit(std::uint32_t id, Packet packet, bool from_server);
    void set_timer(std::uint32_t id, bool server);
    std::uint32_t payload_of(const Connection& c, std::uint32_t segment) const {
        return segment + 1 == c.receiver.end ? c.tail : config_.mss;
    }
    Bits bits(std::uint32_t id, std::uint32_t set) {
        return {bits_.data() + (static_cast<std::size_t>(id) * kSets + set) * words_, words_};
    }
    Bits sacked(std::uint32_t id) { return bits(id, 0); }
    Bits lost_set(std::uint32_t id) { return bits(id, 1); }
    Bits resent(std::uint32_t id) { return bits(id, 2); }
    Bits early(std::uint32_t id) { return bits(id, 3); }

    // client.cpp
    void send_syn(std::uint32_t id);
    void send_request(std::uint32_t id);
    void send_ack(std::uint32_t id, std::uint8_t flags, std::uint32_t newest);
    void client_receive(std::uint32_t id, const Packet& packet);
    void receive_segment(std::uint32_t id, const Packet& packet);
    void complete(std::uint32_t id);
    void client_timeout(std::uint32_t id);

    // server.cpp
    void server_receive(std::uint32_t id, const Packet& packet);
    void send_syn_ack(std::uint32_t id);
    void begin_answer(std::uint32_t id);
    void server_timeout(std::uint32_t id);
    // sender.cpp
    void acknowledge(std::uint32_t id, const Packet& packet);
    void advance(std::uint32_t id, std::uint32_t to);
    std::uint32_t note_sacks(std::uint32_t id, const Packet& packet);
    void find_losses(std::uint32_t id);
    void mark_lost(std::uint32_t id, std::uint32_t segment);
    void react_to_echo(std::uint32_t id, const Packet& packet, std::uint32_t acked);
    void enter_recovery(std::uint32_t id);
    void data_timeout(std::uint32_t id);
    void send_allowed(std::uint32_t id);
    void send_segment(std::uint32_t id, std::uint32_t segment, bool again);
    Time timeout_of(const Sender& sender) const {
        return sender.rtt.timeout(config_.rto_initial, config_.rto_min, config_.rto_max, sender.backoff);
    }

    static constexpr std::uint32_t kSets = 4;

    const TcpConfig config_;
    std::uint32_t window_;  // of the receiver, in segments
    std::uint32_t words_;   // of a set of bits
    std::uint64_t seed_;
    Network& network_;
    Simulator& simulator_;
    std::vector<Connection, PageAllocator<Connection>> connections_;
    std::vector<Ways, PageAllocator<Ways>> ways_;
    std::vector<std::uint64_t, PageAllocator<std::uint64_t>> bits_;
    std::vector<std::uint32_t> free_;
    std::unordered_map<std::uint64_t, std::uint32_t>
        idle_;  // looked up only, so that its order does not matter
    Counters counters_;
    std::uint32_t open_ = 0;
    TransferObserver* observer_ = nullptr;
};

}  // namespace netsim::tcp
