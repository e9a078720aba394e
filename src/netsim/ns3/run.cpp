#include "run.hpp"

#include <ns3/nstime.h>
#include <ns3/rng-seed-manager.h>
#include <sys/resource.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "netsim/error.hpp"

namespace referee {

netsim::Config read_config(const nlohmann::json& document, const std::vector<std::string>& others) {
    const netsim::Config config = netsim::read_config(document, others);
    const auto refuse = [](bool wrong, const char* field, const char* only) {
        if (wrong) {
            throw netsim::ConfigError(std::string(field) + ": the referee has only " + only);
        }
    };
    refuse(config.topology.kind != netsim::TopologyConfig::Kind::two_rack, "topology.kind", "two-rack");
    refuse(config.queue.kind == netsim::QueueConfig::Kind::red, "queue.kind", "drop-tail and ecn");
    refuse(config.eee.symmetric_lpi, "eee.symmetric_lpi", "false");
    refuse(config.tcp.reuse_connections, "tcp.reuse_connections", "false");
    refuse(!config.tcp.syn_loss, "tcp.syn_loss", "true");
    for (const auto& policy : config.eee.policy) {
        refuse(policy.kind == netsim::PolicyConfig::Kind::adaptive, "eee.*.policy", "fixed policies");
    }
    return config;
}

void begin(const netsim::Config& config) {
    ns3::Time::SetResolution(ns3::Time::PS);
    // ns-3 takes no seed 0.
    ns3::RngSeedManager::SetSeed(static_cast<std::uint32_t>(config.seed % 0xfffffffeU) + 1);
    use(config.tcp);
}

void add_results(netsim::Report& report, const netsim::Config& config, const Network& network,
                 const Transfers& transfers, netsim::Time makespan, double cpu_before) {
    const double seconds = netsim::to_seconds(makespan);
    const auto add = [&](const std::string& name, double value, const char* unit) {
        report.add(name, value, unit, kSimulated);
    };
    add("makespan", seconds, "s");
    double energy = 0;
    double always_on = 0;
    for (const netsim::LinkClass c : netsim::kLinkClasses) {
        const ClassTotals totals = network.totals(c, makespan);
        const double watts = config.eee.watts.at(netsim::index_of(c));
        const std::string name(netsim::name_of(c));
        const double all = seconds * static_cast<double>(totals.directions);
        const auto share = [all](double part) { return all > 0 ? part / all : 0; };
        // A cable has two ports and two directions; a port takes the mean of both, so that a direction counts
        // as a port.
        energy += totals.full_seconds * watts;
        always_on += all * watts;
        add("energy." + name, totals.full_seconds * watts, "J");
        add("energy.port." + name, share(totals.full_seconds) * seconds * watts, "J");
        add("power." + name + ".rel", share(totals.full_seconds), "1");
        add("time.active." + name, share(totals.active), "1");
        add("time.sleep." + name, share(totals.sleep), "1");
        add("time.lpi." + name, share(totals.low), "1");
        add("time.wake." + name, share(totals.wake), "1");
        add("utilisation." + name, share(totals.busy), "1");
    }
    add("energy.total", energy, "J");
    add("power.rel", always_on > 0 ? energy / always_on : 0, "1");
    const auto hops = static_cast<double>(network.counters().hops);
    add("hops", hops, "1");
    add("drops", static_cast<double>(network.counters().drops), "1");
    add("marks", static_cast<double>(network.counters().marks), "1");
    add("timeouts", static_cast<double>(transfers.counters().timeouts), "1");
    add("bytes.sent", static_cast<double>(transfers.counters().bytes), "B");
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const double cpu = cpu_seconds() - cpu_before;
    constexpr double kibi = 1024;
    report.add("sim.cpu", cpu, "s", "measured:rusage");
    report.add("sim.memory", static_cast<double>(usage.ru_maxrss) * kibi, "B", "measured:rusage");
    report.add("sim.rate", cpu > 0 ? hops / cpu : 0, "1/s", "measured:rusage");
}

double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

int guarded(const char* program, const std::function<void()>& run) {
    try {
        run();
    } catch (const netsim::ConfigError& error) {
        std::cerr << program << ": " << error.what() << '\n';
        return 2;
    } catch (const std::exception& error) {
        std::cerr << program << ": " << error.what() << '\n';
        return 1;
    }
    return 0;
}

}  // namespace referee
