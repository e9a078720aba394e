/// Server end of a connection: sending data and detecting losses.

#include <algorithm>

#include "netsim/tcp/tcp.hpp"

namespace netsim::tcp {

namespace {
/// Segments that must have arrived above another before that counts as lost.
constexpr std::uint32_t kReordering = 3;
}  // namespace

void Tcp::acknowledge(std::uint32_t id, const Packet& packet) {
    Sender& s = connections_[id].sender;
    const std::uint32_t ack = packet.number;
    if (ack < s.una || ack > s.next || s.state != ServerState::established) {
        return;
    }
    const Time now = simulator_.now();
    const std::uint32_t acked = ack - s.una;
    if (acked > 0) {
        if (s.timing && ack > s.timed) {
            s.rtt.sample(now - s.timed_at);
            s.timing = false;
            s.backoff = 0;
        }
        advance(id, ack);
        s.duplicates = 0;
        s.deadline = s.una < s.next ? now + timeout_of(s) : kNever;
        set_timer(id, true);
    }
    const std::uint32_t news = config_.sack && packet.sack[0].length != 0 ? note_sacks(id, packet) : 0;
    if (config_.ecn) {
        react_to_echo(id, packet, acked);
    }
    if (acked == 0 && s.una < s.next && (news > 0 || !config_.sack)) {
        s.duplicates = static_cast<std::uint8_t>(std::min(s.duplicates + 1, 255));
        if (!config_.sack && s.sacked + s.lost < s.next - s.una) {
            ++s.sacked;  // something above `una` has arrived, who knows what
        }
    }
    switch (s.loss) {
        case Loss::none:
            // Without SACK, duplicates of what was sent before the last recovery say nothing (RFC 6582, 3.2).
            if ((s.duplicates >= kReordering && (config_.sack || s.recover == 0 || ack > s.recover)) ||
                (config_.sack && s.sacked >= kReordering)) {
                enter_recovery(id);
            } else if (acked > 0) {
                s.congestion.on_ack(acked, window_, now, s.rtt.smoothed());
            }
            break;
        case Loss::recovery:
            if (ack >= s.recover) {
                s.loss = Loss::none;
                s.sacked = config_.sack ? s.sacked : 0;
            } else {
                if (acked > 0) {
                    mark_lost(id, s.una);  // a hole ends here (RFC 6582's partial acknowledgement)
                }
                find_losses(id);
            }
            break;
        case Loss::timeout:
            if (ack >= s.recover) {
                s.loss = Loss::none;
            }
            if (acked > 0) {
                s.congestion.on_ack(acked, window_, now, s.rtt.smoothed());
            }
            find_losses(id);
            break;
    }
    send_allowed(id);
}

/// Handles a cumulative acknowledgement: all before `to` has arrived.
void Tcp::advance(std::uint32_t id, std::uint32_t to) {
    Sender& s = connections_[id].sender;
    if (!config_.sack && s.sacked > 0) {
        s.sacked -= std::min(s.sacked, to - s.una - 1);
    }
    if ((config_.sack ? s.sacked : 0) + s.lost + s.resent > 0) {
        Bits sacked = this->sacked(id);
        Bits lost = lost_set(id);
        Bits resent = this->resent(id);
        for (std::uint32_t n = s.una; n < to; ++n) {
            if (sacked.test(n)) {
                sacked.clear(n);
                --s.sacked;
            }
            if (lost.test(n)) {
                lost.clear(n);
                --s.lost;
            }
            if (resent.test(n)) {
                resent.clear(n);
                --s.resent;
            }
        }
    }
    s.una = to;
}

/// Returns how many segments the blocks newly acknowledge.
std::uint32_t Tcp::note_sacks(std::uint32_t id, const Packet& packet) {
    Sender& s = connections_[id].sender;
    Bits sacked = this->sacked(id);
    Bits lost = lost_set(id);
    Bits resent = this->resent(id);
    std::uint32_t news = 0;
    for (const SackBlock& block : packet.sack) {
        const std::uint32_t begin = std::max(packet.number + block.begin, s.una);
        const std::uint32_t end = std::min(packet.number + block.begin + block.length, s.next);
        for (std::uint32_t n = sacked.find_clear(begin, end); n < end; n = sacked.find_clear(n + 1, end)) {
            sacked.set(n);
            ++news;
            if (lost.test(n)) {
                lost.clear(n);
                --s.lost;
            }
            if (resent.test(n)) {
                resent.clear(n);
                --s.resent;
            }
        }
        s.highest = block.length != 0 ? std::max(s.highest, end) : s.highest;
    }
    s.sacked += news;
    return news;
}

void Tcp::mark_lost(std::uint32_t id, std::uint32_t segment) {
    Sender& s = connections_[id].sender;
    Bits lost = lost_set(id);
    if (!lost.test(segment) && !sacked(id).test(segment)) {
        lost.set(segment);
        ++s.lost;
        s.resend_from = std::min(s.resend_from, segment);
    }
}

/// Marks as lost what three segments above have overtaken (RFC 6675).
void Tcp::find_losses(std::uint32_t id) {
    Sender& s = connections_[id].sender;
    if (!config_.sack || s.sacked < kReordering) {
        return;
    }
    const Bits sacked = this->sacked(id);
    std::uint32_t edge = s.highest;
    for (std::uint32_t seen = 0; seen < kReordering && edge > s.una;) {
        seen += sacked.test(--edge) ? 1 : 0;
    }
    const std::uint32_t from = std::max(s.judged, s.una);
    for (std::uint32_t n = sacked.find_clear(from, edge); n < edge; n = sacked.find_clear(n + 1, edge)) {
        mark_lost(id, n);
    }
    s.judged = std::max(from, edge);
}

void Tcp::react_to_echo(std::uint32_t id, const Packet& packet, std::uint32_t acked) {
    Sender& s = connections_[id].sender;
    const bool echo = (packet.flags & kEcho) != 0;
    if (config_.flavour == TcpConfig::Flavour::dctcp) {
        s.window_acked += acked;
        s.window_marked += echo ? acked : 0;
        if (s.una >= s.window_end) {
            s.congestion.on_window(s.window_acked, s.window_marked);
            s.window_end = s.next;
            s.window_acked = s.window_marked = 0;
        }
    }
    if (echo && s.una >= s.echo_until && s.loss == Loss::none && s.una < s.next) {
        s.congestion.on_echo(s.next - s.una);
        s.echo_until = s.next;
        s.reduced = true;
    }
}

void Tcp::enter_recovery(std::uint32_t id) {
    Sender& s = connections_[id].sender;
    ++counters_.recoveries;
    s.congestion.on_loss(s.next - s.una);
    s.loss = Loss::recovery;
    s.recover = s.next;
    s.timing = false;
    s.resend_from = s.una;
    s.judged = s.una;
    mark_lost(id, s.una);
    find_losses(id);
    s.deadline = simulator_.now() + timeout_of(s);
    set_timer(id, true);
    if (!resent(id).test(s.una)) {
        send_segment(id, s.una, true);  // whatever the window says
    }
}

void Tcp::data_timeout(std::uint32_t id) {
    Sender& s = connections_[id].sender;
    ++counters_.timeouts;
    s.congestion.on_timeout(s.next - s.una, s.loss == Loss::timeout && s.una == s.timed_out);
    s.timed_out = s.una;
    s.backoff = static_cast<std::uint8_t>(std::min(s.backoff + 1, 255));
    s.loss = Loss::timeout;
    s.recover = s.next;
    s.duplicates = 0;
    s.timing = false;
    s.resend_from = s.una;
    s.judged = s.next;
    Bits sacked = this->sacked(id);
    Bits lost = lost_set(id);
    Bits resent = this->resent(id);
    s.lost = 0;
    s.resent = 0;
    s.sacked = config_.sack ? s.sacked : 0;
    for (std::uint32_t n = s.una; n < s.next; ++n) {
        resent.clear(n);
        if (!sacked.test(n)) {
            lost.set(n);
            ++s.lost;
        }
    }
    s.deadline = simulator_.now() + timeout_of(s);
    set_timer(id, true);
    send_allowed(id);
}

/// Sends what congestion and receiver allow: first what was lost.
void Tcp::send_allowed(std::uint32_t id) {
    Sender& s = connections_[id].sender;
    const auto window = static_cast<std::uint32_t>(s.congestion.window());
    while (s.pipe() < window) {
        if (s.lost > s.resent) {
            const Bits lost = lost_set(id);
            const Bits resent = this->resent(id);
            std::uint32_t n = lost.find(std::max(s.resend_from, s.una), s.next);
            while (n < s.next && resent.test(n)) {
                n = lost.find(n + 1, s.next);
            }
            if (n >= s.next) {
                break;
            }
            s.resend_from = n + 1;
            send_segment(id, n, true);
        } else if (s.next < s.end && s.next - s.una < window_) {
            send_segment(id, s.next, false);
        } else {
            break;
        }
    }
}

void Tcp::send_segment(std::uint32_t id, std::uint32_t segment, bool again) {
    Connection& c = connections_[id];
    Sender& s = c.sender;
    const Time now = simulator_.now();
    Packet packet;
    packet.number = segment;
    packet.flags = kData | kAck;
    if (config_.ecn && (!again || config_.flavour == TcpConfig::Flavour::dctcp)) {
        packet.flags |= kCapable;
    }
    if (s.reduced) {
        packet.flags |= kReduced;
        s.reduced = false;
    }
    if (!config_.reuse_connections && segment + 1 == s.end) {
        packet.flags |= kFin;
    }
    packet.bytes = frame_bytes(payload_of(c, segment));
    if (again) {
        ++counters_.retransmits;
        resent(id).set(segment);
        ++s.resent;
        s.timing = s.timing && s.timed != segment;
    } else {
        s.next = segment + 1;
        if (!s.timing && s.loss == Loss::none) {
            s.timing = true;
            s.timed = segment;
            s.timed_at = now;
        }
    }
    s.last_sent = now;
    if (s.deadline == kNever) {
        s.deadline = now + timeout_of(s);
        set_timer(id, true);
    }
    transmit(id, packet, true);
}

}  // namespace netsim::tcp
