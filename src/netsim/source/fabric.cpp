#include "netsim/fabric.hpp"

#include <algorithm>
#include <string>

namespace netsim {

Fabric::Fabric(const Config& config)
    : config_(config), network_(config, simulator_), tcp_(config.tcp, config.seed, network_, simulator_) {
    const auto [least, usual] = std::ranges::minmax(config.latency);
    simulator_.allow_calendar(least, usual);
}

void Fabric::fetch(Time now, int client, int server, std::uint64_t bytes, TransferDone& to,
                   std::uint64_t tag) {
    if (client == server) {
        simulator_.at(now, loopback_, loopback_.add(to, tag));
    } else {
        tcp_.fetch(client, server, bytes, to, tag);
    }
}

std::uint64_t Fabric::Loopback::add(TransferDone& to, std::uint64_t tag) {
    if (free_.empty()) {
        waiting_.push_back({&to, tag});
        return waiting_.size() - 1;
    }
    const std::uint64_t slot = free_.back();
    free_.pop_back();
    waiting_[slot] = {&to, tag};
    return slot;
}

void Fabric::Loopback::on_event(Time now, std::uint64_t argument) {
    const Waiting waiting = waiting_[argument];
    free_.push_back(argument);
    waiting.to->on_transfer(now, waiting.tag);
}

template <bool many>
void Fabric::dispatch(EventKind kind, std::uint32_t index) {
    switch (kind) {
        case EventKind::link_arrival:
            network_.arrive<many>(
                index, [this](const Packet& packet) { tcp_.deliver(packet); },
                [this](const Packet& packet) -> const Path& { return tcp_.path_of(packet); },
                [this](const Packet& packet) { tcp_.lost(packet); });
            break;
        case EventKind::link_timer:
            network_.on_timer(index);
            break;
        case EventKind::flow_timer:
            tcp_.on_timer(index);
            break;
        case EventKind::handler:
            break;
    }
}

void Fabric::run() {
    simulator_.run([this](EventKind kind, std::uint32_t index) { dispatch<false>(kind, index); },
                   [this](EventKind kind, std::uint32_t index) { dispatch<true>(kind, index); },
                   [this](const CalendarQueue& calendar) {
                       network_.prepare(
                           calendar,
                           [this](const Packet& packet) -> const Path& { return tcp_.path_of(packet); },
                           [this](const Packet& packet) { tcp_.touch(packet); });
                   });
}

void Fabric::report(Report& report, Time end) {
    const double span = end > 0 ? to_seconds(end) : 1;
    double joules = 0;
    double full = 0;
    int ports = 0;
    std::uint64_t drops = 0;
    std::uint64_t marks = 0;
    for (const LinkClass c : kLinkClasses) {
        const std::string name(name_of(c));
        const ClassTotals totals = network_.totals(c, end);
        // A cable has two ports. A port spends the mean of its two directions, so that a cable's two ports
        // together spend what one port would that sent both: one `watts` for each direction.
        const double watts = config_.eee.watts[index_of(c)];
        const double energy = totals.energy * watts;
        const double all = span * totals.ports;
        const auto share = [all](Time time) { return to_seconds(time) / all; };
        report.add("energy." + name, energy, "J");
        report.add("power." + name + ".rel", totals.energy / all, "1");
        report.add("energy.port." + name, energy / totals.ports, "J");
        report.add("time.active." + name, share(totals.account.active), "1");
        report.add("time.sleep." + name, share(totals.account.sleep), "1");
        report.add("time.lpi." + name, share(totals.account.low()), "1");
        report.add("time.wake." + name, share(totals.account.wake), "1");
        report.add("utilisation." + name, share(totals.busy), "1");
        report.add("wakes." + name, static_cast<double>(totals.account.wakes), "1");
        report.add("holds.trigger." + name, static_cast<double>(totals.account.holds.by_trigger), "1");
        report.add("holds.full." + name, static_cast<double>(totals.account.holds.by_full), "1");
        report.add("holds.timer." + name, static_cast<double>(totals.account.holds.by_timer), "1");
        joules += energy;
        full += all * watts;
        ports += totals.ports;
        drops += totals.drops;
        marks += totals.marks;
    }
    const tcp::Counters& tcp = tcp_.counters();
    const auto count = [](std::uint64_t n) { return static_cast<double>(n); };
    report.add("energy.total", joules, "J");
    report.add("energy.port.mean", joules / ports, "J");
    report.add("power.rel", joules / full, "1");
    report.add("drops", count(drops), "1");
    report.add("marks", count(marks), "1");
    report.add("timeouts", count(tcp.timeouts), "1");
    report.add("retransmits", count(tcp.retransmits), "1");
    report.add("recoveries", count(tcp.recoveries), "1");
    report.add("connections", count(tcp.connections), "1");
    report.add("transfers", count(tcp.transfers), "1");
    report.add("packets", count(tcp.packets), "1");
    report.add("hops", count(network_.hops()), "1");
    report.add("bytes.sent", count(tcp.payload), "B");
    report.add("latency.mean", network_.delays().mean(), "s");
    report.add("latency.p99", network_.delays().quantile(0.99), "s");
}

}  // namespace netsim
