/// Client end of a connection: requests and receiving.

#include <algorithm>

#include "netsim/tcp/tcp.hpp"

namespace netsim::tcp {

namespace {
/// Maximum segment size, SACK permitted, window scale, padding.
constexpr std::uint32_t kSynOptions = 12;
}  // namespace

void Tcp::send_syn(std::uint32_t id) {
    Receiver& r = connections_[id].receiver;
    r.state = ClientState::syn_sent;
    r.sent_at = simulator_.now();
    r.deadline =
        simulator_.now() + r.rtt.timeout(config_.rto_initial, config_.rto_min, config_.rto_max, r.backoff);
    set_timer(id, false);
    Packet packet;
    packet.flags = kSyn;
    packet.bytes = frame_bytes(0, kSynOptions);
    transmit(id, packet, false);
}

void Tcp::send_request(std::uint32_t id) {
    Receiver& r = connections_[id].receiver;
    r.again = r.state == ClientState::requesting;
    r.state = ClientState::requesting;
    r.pending = 0;
    r.sent_at = simulator_.now();
    r.deadline =
        simulator_.now() + r.rtt.timeout(config_.rto_initial, config_.rto_min, config_.rto_max, r.backoff);
    set_timer(id, false);
    Packet packet;
    packet.flags = kData | kAck;
    packet.number = r.requests;
    packet.bytes = frame_bytes(config_.request_bytes);
    transmit(id, packet, false);
}

/// newest: the segment that caused the acknowledgement; its block is told first (RFC 2018).
void Tcp::send_ack(std::uint32_t id, std::uint8_t flags, std::uint32_t newest) {
    Receiver& r = connections_[id].receiver;
    Packet packet;
    packet.flags = static_cast<std::uint8_t>(kAck | flags | (r.echo ? kEcho : 0));
    packet.number = r.next;
    std::uint32_t options = 0;
    if (config_.sack && r.early > 0) {
        const Bits set = early(id);
        std::size_t blocks = 0;
        const auto add = [&](std::uint32_t begin, std::uint32_t end) {
            packet.sack[blocks++] = {static_cast<std::uint16_t>(begin - r.next),
                                     static_cast<std::uint16_t>(end - begin)};
        };
        std::uint32_t first = r.highest;
        if (newest > r.next && set.test(newest)) {
            first = set.run_begin(newest, r.next);
            add(first, set.find_clear(newest, r.highest));
        }
        std::uint32_t n = set.find(r.next, r.highest);
        while (n < r.highest && blocks < packet.sack.size()) {
            const std::uint32_t end = set.find_clear(n, r.highest);
            if (n != first) {
                add(n, end);
            }
            n = set.find(end, r.highest);
        }
        options = 4 + 8 * static_cast<std::uint32_t>(blocks);
    }
    packet.bytes = frame_bytes(0, options);
    r.pending = 0;
    r.deadline = kNever;
    transmit(id, packet, false);
}

void Tcp::client_receive(std::uint32_t id, const Packet& packet) {
    Receiver& r = connections_[id].receiver;
    if ((packet.flags & kSyn) != 0) {
        if (r.state == ClientState::syn_sent) {
            if (r.backoff == 0) {
                r.rtt.sample(simulator_.now() - r.sent_at);
            } else {
                r.rtt.handshake_timed_out();
            }
            r.backoff = 0;
            send_ack(id, 0, 0);
            send_request(id);
        } else if (r.state == ClientState::requesting) {
            const Time deadline = r.deadline;
            send_ack(id, 0, 0);
            connections_[id].receiver.deadline = deadline;
        }
    } else if ((packet.flags & kData) != 0) {
        if (r.state == ClientState::requesting && packet.number < r.next) {
            // Sent again of the answer before (a reused connection): says nothing of the request, whose timer
            // goes on.
            const Time deadline = r.deadline;
            receive_segment(id, packet);
            connections_[id].receiver.deadline = deadline;
            return;
        }
        if (r.state == ClientState::requesting) {
            r.state = ClientState::receiving;
            r.deadline = kNever;
            if (!r.again) {
                r.rtt.sample(simulator_.now() - r.sent_at);
                r.backoff = 0;
            }
        }
        receive_segment(id, packet);
    } else {
        release(id);  // the server's last acknowledgement
    }
}

void Tcp::receive_segment(std::uint32_t id, const Packet& packet) {
    Connection& c = connections_[id];
    Receiver& r = c.receiver;
    const std::uint32_t n = packet.number;
    ++counters_.arrived;
    if (config_.ecn) {
        const bool marked = (packet.flags & kMarked) != 0;
        if (config_.flavour == TcpConfig::Flavour::dctcp) {
            if (marked != r.marked && r.pending > 0) {
                send_ack(id, 0, 0);  // for what came before the change (RFC 8257)
            }
            r.echo = r.marked = marked;
        } else {
            r.echo = marked || (r.echo && (packet.flags & kReduced) == 0);
        }
    }
    if (n < r.next || (n > r.next && early(id).test(n))) {
        ++counters_.duplicates;
        send_ack(id, r.state == ClientState::closed ? kFin : 0, n);
        return;
    }
    counters_.payload += payload_of(c, n);
    if (n > r.next) {
        early(id).set(n);
        ++r.early;
        r.highest = std::max(r.highest, n + 1);
        send_ack(id, 0, n);
        return;
    }
    ++r.next;
    ++r.pending;
    bool now = r.pending >= config_.delayed_ack || r.early > 0;
    if (r.early > 0) {
        Bits set = early(id);
        while (r.early > 0 && set.test(r.next)) {
            set.clear(r.next++);
            --r.early;
        }
    }
    if (r.next == r.end) {
        complete(id);
        return;
    }
    if (now) {
        send_ack(id, 0, n);
    } else if (r.deadline == kNever) {
        r.deadline = simulator_.now() + config_.delayed_ack_time;
        set_timer(id, false);
    }
}

/// Ends a transfer whose last byte has arrived in order.
void Tcp::complete(std::uint32_t id) {
    Connection& c = connections_[id];
    ++counters_.transfers;
    --open_;
    if (config_.reuse_connections) {
        c.receiver.state = ClientState::idle;
        const std::uint64_t key =
            (static_cast<std::uint64_t>(c.client) << 32U) | static_cast<std::uint32_t>(c.server);
        std::uint32_t& head = idle_.try_emplace(key, kNone).first->second;
        c.next_idle = head;
        head = id;
        if (c.receiver.pending >= config_.delayed_ack) {
            send_ack(id, 0, 0);
        } else {
            c.receiver.deadline = simulator_.now() + config_.delayed_ack_time;
            set_timer(id, false);
        }
    } else {
        c.receiver.state = ClientState::closed;
        send_ack(id, kFin, 0);
    }
    if (observer_ != nullptr) {
        observer_->on_complete(c.client, c.server, c.bytes, c.begin, simulator_.now());
    }
    TransferDone* const done = c.done;
    const std::uint64_t tag = c.tag;
    done->on_transfer(simulator_.now(), tag);  // may begin transfers: nothing of `c` is valid afterwards
}

void Tcp::client_timeout(std::uint32_t id) {
    Receiver& r = connections_[id].receiver;
    switch (r.state) {
        case ClientState::syn_sent:
        case ClientState::requesting:
            ++counters_.timeouts;
            ++counters_.retransmits;
            r.backoff = static_cast<std::uint8_t>(std::min(r.backoff + 1, 255));
            if (r.state == ClientState::syn_sent) {
                send_syn(id);
            } else {
                send_request(id);
            }
            break;
        case ClientState::receiving:
        case ClientState::idle:
            send_ack(id, 0, 0);  // a delayed one
            break;
        default:
            r.deadline = kNever;
    }
}

}  // namespace netsim::tcp
