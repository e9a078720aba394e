#include "netsim/tcp/tcp.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <string>

#include "netsim/error.hpp"

namespace netsim::tcp {

namespace {
/// An event names a connection and its end.
constexpr std::size_t kMostConnections = (EventQueue::kIndexMask + 1) / 2;
}  // namespace

Tcp::Tcp(const TcpConfig& config, std::uint64_t seed, Network& network, Simulator& simulator)
    : config_(config),
      window_(std::max(1U, config.window_bytes / config.mss)),
      words_(std::bit_ceil(window_ / 64 + 2)),
      seed_(seed),
      network_(network),
      simulator_(simulator) {}

std::uint32_t Tcp::allocate(int client, int server) {
    std::uint32_t id = 0;
    if (free_.empty()) {
        if (connections_.size() == kMostConnections) {
            throw Error("more than " + std::to_string(kMostConnections) +
                        " connections at a time: fewer hosts, reducers or copiers are needed");
        }
        id = static_cast<std::uint32_t>(connections_.size());
        connections_.emplace_back(config_);
        ways_.emplace_back();
        bits_.resize(bits_.size() + kSets * static_cast<std::size_t>(words_));
    } else {
        id = free_.back();
        free_.pop_back();
        // The timer events of the one before are still pending. They look at whatever is here when they come.
        const Time client_timer = connections_[id].receiver.timer_at;
        const Time server_timer = connections_[id].sender.timer_at;
        connections_[id] = Connection(config_);
        connections_[id].receiver.timer_at = client_timer;
        connections_[id].sender.timer_at = server_timer;
        std::fill_n(
            bits_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(id) * kSets * words_),
            kSets * words_, 0);
    }
    Connection& c = connections_[id];
    c.client = client;
    c.server = server;
    const std::uint64_t flow = Random::mix(seed_ + Random::mix(++counters_.connections));
    ways_[id].path = {network_.topology().path(client, server, flow & 0xffffffffU),
                      network_.topology().path(server, client, flow >> 32U)};
    return id;
}

/// Frees the connection once both ends have closed it and no packet refers to it.
void Tcp::release(std::uint32_t id) {
    Connection& c = connections_[id];
    if (c.receiver.state == ClientState::closed && c.sender.state == ServerState::closed &&
        c.in_flight == 0) {
        c.receiver.state = ClientState::free;
        c.receiver.deadline = c.sender.deadline = kNever;
        free_.push_back(id);
    }
}

std::uint32_t Tcp::take_idle(int client, int server) {
    const std::uint64_t key =
        (static_cast<std::uint64_t>(client) << 32U) | static_cast<std::uint32_t>(server);
    const auto found = idle_.find(key);
    if (found == idle_.end() || found->second == kNone) {
        return kNone;
    }
    const std::uint32_t id = found->second;
    found->second = connections_[id].next_idle;
    return id;
}

void Tcp::fetch(int client, int server, std::uint64_t bytes, TransferDone& to, std::uint64_t tag) {
    assert(client != server);
    const std::uint32_t idle = config_.reuse_connections ? take_idle(client, server) : kNone;
    const std::uint32_t id = idle == kNone ? allocate(client, server) : idle;
    Connection& c = connections_[id];
    const std::uint64_t segments = std::max<std::uint64_t>(1, (bytes + config_.mss - 1) / config_.mss);
    c.bytes = bytes;
    c.tail = static_cast<std::uint32_t>(bytes - (segments - 1) * config_.mss);
    c.done = &to;
    c.tag = tag;
    c.begin = simulator_.now();
    c.receiver.end += static_cast<std::uint32_t>(segments);
    ++c.receiver.requests;
    ++open_;
    if (idle == kNone) {
        send_syn(id);
    } else {
        send_request(id);
    }
}

void Tcp::transmit(std::uint32_t id, Packet packet, bool from_server) {
    packet.connection = id;
    packet.hop = from_server ? kFromServer : 0;
    ++counters_.packets;
    if ((packet.flags & kData) != 0 && from_server) {
        ++counters_.segments;
    }
    ++connections_[id].in_flight;
    if (!network_.send(ways_[id].path[from_server ? 1 : 0], packet)) {
        lost(packet);
    }
}

void Tcp::lost(const Packet& packet) {
    if ((packet.flags & kData) != 0 && (packet.hop & kFromServer) != 0) {
        ++counters_.lost;
    }
    --connections_[packet.connection].in_flight;
    release(packet.connection);
}

void Tcp::deliver(const Packet& packet) {
    const std::uint32_t id = packet.connection;
    --connections_[id].in_flight;
    if ((packet.hop & kFromServer) != 0) {
        client_receive(id, packet);
    } else {
        server_receive(id, packet);
    }
}

/// Schedules an event that checks the deadline in time. Most deadlines move on before they are met, so the
/// event stays where it is and looks again.
void Tcp::set_timer(std::uint32_t id, bool server) {
    Connection& c = connections_[id];
    const Time deadline = server ? c.sender.deadline : c.receiver.deadline;
    Time& timer_at = server ? c.sender.timer_at : c.receiver.timer_at;
    if (deadline < timer_at) {
        timer_at = deadline;
        simulator_.schedule(deadline, EventKind::flow_timer, 2 * id + (server ? 1 : 0));
    }
}

void Tcp::on_timer(std::uint32_t index) {
    const std::uint32_t id = index / 2;
    const bool server = index % 2 != 0;
    const Time now = simulator_.now();
    Connection& c = connections_[id];
    Time& timer_at = server ? c.sender.timer_at : c.receiver.timer_at;
    if (timer_at > now) {
        return;  // an earlier event has taken over, or the connection is another one by now
    }
    timer_at = kNever;
    const Time deadline = server ? c.sender.deadline : c.receiver.deadline;
    if (deadline > now) {
        set_timer(id, server);
    } else if (server) {
        server_timeout(id);
    } else {
        client_timeout(id);
    }
}

std::size_t Tcp::memory() const {
    return connections_.capacity() * sizeof(Connection) + ways_.capacity() * sizeof(Ways) +
           bits_.capacity() * sizeof(std::uint64_t);
}

}  // namespace netsim::tcp
