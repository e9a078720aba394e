#include "netsim/network.hpp"

#include <algorithm>
#include <utility>

namespace netsim {
namespace {
constexpr std::uint64_t kUnlimited = ~std::uint64_t{0} >> 1U;
}

Network::Network(const Config& config, Simulator& simulator)
    : simulator_(simulator),
      topology_(config.topology),
      protected_(config.tcp.syn_loss ? 0 : kSyn),
      random_(config.seed, 1) {
    links_.reserve(topology_.links().size());
    for (const LinkPlace& place : topology_.links()) {
        const std::size_t c = index_of(place.link_class);
        const PolicyConfig& policy = config.eee.policy[c];
        const Time jitter = place.to_host ? config.tcp.jitter : 0;
        Link& link =
            links_.emplace_back(port_settings(policy, config.eee, config.topology.speed[c]), jitter != 0);
        link.link_class = place.link_class;
        // 1000BASE-T alone: the other PHYs' directions sleep apart (IEEE 802.3az, clause 78).
        link.symmetric = config.eee.symmetric_lpi && config.topology.speed[c].phy == "1000BASE-T";
        link.byte_time = static_cast<std::uint32_t>(config.topology.speed[c].byte_time);
        link.latency = config.latency[c];
        link.to_host = place.to_host;
        link.jitter = jitter;
        link.sampled = place.link_class == LinkClass::core;
        link.buffer = !place.from_host                ? config.buffer_bytes
                      : config.host_buffer_bytes != 0 ? config.host_buffer_bytes
                                                      : kUnlimited;
        if (config.eee.wake_on_full && link.buffer != kUnlimited) {
            link.transmitter.port().set_full(full_bytes(link.buffer, config.tcp));
        }
        const bool queue = !place.from_host && config.queue.kind != QueueConfig::Kind::drop_tail;
        const bool adaptive = policy.kind == PolicyConfig::Kind::adaptive;
        if (queue || adaptive) {
            LinkExtras& extras = special(link);
            if (adaptive) {
                // Half the buffer is left for what arrives while the port wakes and sends.
                extras.adaptive.emplace(link.transmitter.port().settings(), to_seconds(policy.delay_bound),
                                        link.buffer / 2);
            }
            if (queue && config.queue.kind == QueueConfig::Kind::ecn) {
                extras.mark_bytes = config.queue.mark_bytes;
            } else if (queue) {
                extras.red.emplace(config.queue);
            }
        }
    }
    if (config.eee.symmetric_lpi) {
        watch_ports();
    }
}

LinkExtras& Network::special(Link& link) {
    link.plain = false;
    if (!link.extras) {
        link.extras = std::make_unique<LinkExtras>();
    }
    return *link.extras;
}

void Network::watch_ports() {
    if (watches_.empty()) {
        watches_.reserve(links_.size());
        for (std::uint32_t i = 0; i < links_.size(); ++i) {
            watches_.push_back({this, i, links_[i].transmitter.port(0).low_since(0)});
            links_[i].transmitter.port().observe(&Network::on_state, &watches_[i]);
        }
    }
}

void Network::observe(NetworkObserver& observer) {
    observer_ = &observer;
    watch_ports();
    for (std::uint32_t i = 0; i < links_.size(); ++i) {
        special(links_[i]);
        observer.on_state(i, 0, links_[i].transmitter.port(0).state(0));
    }
}

void Network::lose(std::function<bool(std::uint32_t, const Packet&)> filter) {
    filter_ = std::move(filter);
    for (Link& link : links_) {
        special(link);
    }
}

void Network::on_state(void* watch, Time when, eee::State state) {
    PortWatch& port = *static_cast<PortWatch*>(watch);
    Network& network = *port.network;
    if (state == eee::State::lpi) {
        port.low_since = when;
    } else if (port.low_since != kNever) {
        // A port that was asked to wake before it was low has spent no time there, and may tell of it late.
        if (network.links_[port.index].symmetric && port.low_since < when) {
            const Time since = network.both_low_since(port.index, when);
            network.links_[port.index].both_low += since == kNever ? 0 : when - since;
            network.links_[port.index ^ 1U].both_low += since == kNever ? 0 : when - since;
        }
        port.low_since = kNever;
    }
    if (network.observer_ != nullptr) {
        network.observer_->on_state(port.index, when, state);
    }
}

Time Network::both_low_since(std::uint32_t index, Time now) {
    const Time other = links_[index ^ 1U].transmitter.port(now).low_since(now);
    const Time own = watches_[index].low_since;
    return other == kNever || own == kNever ? kNever : std::max(own, other);
}

bool Network::drop(Link& link, std::uint32_t index, const Packet& packet) {
    ++link.drops;
    link.dropped_bytes += packet.bytes;
    if (observer_ != nullptr) {
        observer_->on_queue(index, simulator_.now(), link.waiting, true);
    }
    return false;
}

Verdict Network::judge(Link& link, std::uint32_t index, const Packet& packet) {
    const Time now = simulator_.now();
    if (filter_ && filter_(index, packet)) {
        return Verdict::drop;
    }
    link.look(now);
    const bool capable = (packet.flags & kCapable) != 0;
    Verdict verdict = Verdict::queue;
    if (link.extras->red) {
        const Time idle = now - link.transmitter.free();
        constexpr std::uint32_t kTypical = 1538;
        const bool empty = link.ring.end() == link.held_from && idle > 0;
        verdict = link.extras->red->judge(
            link.waiting,
            empty ? static_cast<double>(idle) / static_cast<double>(kTypical * link.byte_time) : 0, capable,
            random_);
        if (verdict == Verdict::drop && (packet.flags & protected_) != 0) {
            verdict = Verdict::queue;
        }
    } else if (capable && link.waiting >= link.extras->mark_bytes) {
        verdict = Verdict::mark;
    }
    if (verdict == Verdict::mark) {
        ++link.marks;
    }
    auto& adaptive = link.extras->adaptive;
    if (adaptive && link.transmitter.free() < now && adaptive->due(now)) {
        const auto choice =
            adaptive->update(now, link.packets, link.bytes, static_cast<Time>(link.bytes) * link.byte_time);
        link.transmitter.port().set_hold(choice.hold, choice.trigger);
    }
    if (observer_ != nullptr && verdict != Verdict::drop) {
        observer_->on_queue(index, now, link.waiting + packet.bytes, false);
    }
    return verdict;
}

void Network::on_timer(std::uint32_t index) {
    simulator_.finish();
    Link& link = links_[index];
    const Time now = simulator_.now();
    if (link.timer_at > now) {
        return;  // an earlier one has been scheduled since, and has done the work
    }
    link.timer_at = kNever;
    if (link.held_from == link.ring.end()) {
        return;  // woken by the trigger
    }
    if (link.transmitter.next_call() <= now && link.transmitter.timer(now)) {
        plan(link, index);
    } else {
        link.timer_at = link.transmitter.next_call();
        simulator_.schedule(link.timer_at, EventKind::link_timer, index);
    }
}

ClassTotals Network::totals(LinkClass link_class, Time end) {
    ClassTotals totals;
    for (std::uint32_t i = 0; i < links_.size(); ++i) {
        Link& link = links_[i];
        if (link.link_class != link_class) {
            continue;
        }
        const eee::Port& port = link.transmitter.port(end);
        const eee::Account account = port.account(end);
        ++totals.ports;
        totals.account.active += account.active;
        totals.account.sleep += account.sleep;
        totals.account.lpi[0] += account.lpi[0];
        totals.account.lpi[1] += account.lpi[1];
        totals.account.wake += account.wake;
        totals.account.refresh += account.refresh;
        totals.account.wakes += account.wakes;
        totals.account.aborts += account.aborts;
        totals.account.holds += account.holds;
        if (link.symmetric) {
            const Time since = both_low_since(i, end);
            const Time low = link.both_low + (since == kNever ? 0 : end - since);
            totals.energy += to_seconds(end) - (1 - port.settings().level[0].power) * to_seconds(low);
        } else {
            totals.energy += eee::relative_energy(account, port.settings());
        }
        totals.busy += static_cast<Time>(link.bytes) * link.byte_time;
        totals.packets += link.packets;
        totals.bytes += link.bytes;
        totals.drops += link.drops;
        totals.marks += link.marks;
    }
    return totals;
}

std::size_t Network::memory() const {
    std::size_t bytes = links_.size() * sizeof(Link);
    for (const Link& link : links_) {
        bytes += link.ring.memory();
    }
    return bytes;
}

}  // namespace netsim
