/// Server end of a connection: opening, requests, closing.

#include <algorithm>

#include "netsim/tcp/tcp.hpp"

namespace netsim::tcp {

void Tcp::send_syn_ack(std::uint32_t id) {
    constexpr std::uint32_t kSynOptions = 12;
    Sender& s = connections_[id].sender;
    s.timed_at = simulator_.now();
    s.deadline = simulator_.now() + timeout_of(s);
    set_timer(id, true);
    Packet packet;
    packet.flags = kSyn | kAck;
    packet.bytes = frame_bytes(0, kSynOptions);
    transmit(id, packet, true);
}

void Tcp::server_receive(std::uint32_t id, const Packet& packet) {
    Connection& c = connections_[id];
    Sender& s = c.sender;
    if ((packet.flags & kSyn) != 0) {
        if (s.state == ServerState::listening) {
            s.state = ServerState::syn_received;
            send_syn_ack(id);
        } else if (s.state == ServerState::syn_received) {  // the client has not seen the answer
            ++counters_.retransmits;
            s.backoff = static_cast<std::uint8_t>(std::min(s.backoff + 1, 255));
            send_syn_ack(id);
        }
        return;
    }
    if (s.state == ServerState::syn_received) {
        s.state = ServerState::established;
        if (s.backoff == 0) {
            s.rtt.sample(simulator_.now() - s.timed_at);
        } else {
            s.rtt.handshake_timed_out();
        }
        s.backoff = 0;
        s.deadline = kNever;
    }
    if ((packet.flags & kData) != 0) {
        if (packet.number == c.requested + 1) {
            ++c.requested;
            begin_answer(id);
        }
        return;
    }
    acknowledge(id, packet);
    if ((packet.flags & kFin) != 0 && s.state == ServerState::established && s.una == s.end) {
        s.state = ServerState::closed;
        s.deadline = kNever;
        Packet last;
        last.flags = kAck;
        last.bytes = frame_bytes(0);
        transmit(id, last, true);
    }
    release(id);
}

void Tcp::begin_answer(std::uint32_t id) {
    Connection& c = connections_[id];
    Sender& s = c.sender;
    if (s.una < s.end) {  // a new request means that all before has arrived
        advance(id, s.end);
        s.deadline = kNever;
        s.loss = Loss::none;
        s.timing = false;
    }
    if (s.end > 0 && simulator_.now() - s.last_sent > timeout_of(s)) {
        s.congestion.on_idle(config_.initial_window);
    }
    s.end = c.receiver.end;
    send_allowed(id);
}

void Tcp::server_timeout(std::uint32_t id) {
    Sender& s = connections_[id].sender;
    if (s.state == ServerState::syn_received) {
        ++counters_.timeouts;
        ++counters_.retransmits;
        s.backoff = static_cast<std::uint8_t>(std::min(s.backoff + 1, 255));
        send_syn_ack(id);
    } else if (s.state == ServerState::established && s.una < s.next) {
        data_timeout(id);
    } else {
        s.deadline = kNever;
    }
}

}  // namespace netsim::tcp
