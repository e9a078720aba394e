/// What must hold in every run, whatever the configuration.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "netsim/shuffle.hpp"
#include "transfers.hpp"

namespace netsim {
namespace {

using test::Bench;

/// Sees that queues keep to their limits and that nothing happens before what happened already.
class Watcher final : public NetworkObserver {
  public:
    explicit Watcher(Fabric& fabric) : fabric_(fabric) { fabric.network().observe(*this); }
    void on_state(std::uint32_t /*link*/, Time /*when*/, eee::State /*state*/) override { ++states; }
    void on_queue(std::uint32_t link, Time when, std::uint64_t waiting, bool dropped) override {
        EXPECT_GE(when, last_);
        last_ = when;
        const std::uint64_t most = fabric_.network().link(link).buffer;
        if (most != 0 && fabric_.config().tcp.syn_loss) {
            EXPECT_LE(waiting, most);
        }
        drops += dropped ? 1 : 0;
    }
    std::uint64_t drops = 0;
    std::uint64_t states = 0;

  private:
    Fabric& fabric_;
    Time last_ = 0;
};

void check_transport(Bench& bench, std::uint64_t bytes) {
    const tcp::Counters& n = bench.counters();
    EXPECT_EQ(n.transfers, bench.expected);
    EXPECT_EQ(bench.done.size(), bench.expected);
    for (const auto& [tag, times] : bench.done) {
        EXPECT_EQ(times.size(), 1U) << "transfer " << tag << " ended more than once";
    }
    EXPECT_EQ(n.payload, bytes);                // every byte is received once
    EXPECT_EQ(n.segments, n.arrived + n.lost);  // every segment arrives or is counted as dropped
    EXPECT_EQ(bench.fabric.tcp().open(), 0U);
    EXPECT_EQ(bench.fabric.clock().pending(), 0U);
    if (!bench.fabric.config().tcp.reuse_connections) {
        EXPECT_EQ(bench.fabric.tcp().live(), 0U);
    }
}

void check_energy(Bench& bench, Time end) {
    Network& network = bench.fabric.network();
    for (std::uint32_t i = 0; i < network.links(); ++i) {
        const eee::Account account = network.account(i, end);
        EXPECT_EQ(account.total(), end);
        EXPECT_GE(account.active, static_cast<Time>(network.link(i).bytes) * network.link(i).byte_time);
        EXPECT_GE(std::min({account.active, account.sleep, account.lpi[0], account.lpi[1], account.wake}), 0);
        EXPECT_EQ(network.link(i).waiting, 0U);
        EXPECT_TRUE(network.link(i).ring.empty());
    }
    Report report;
    bench.fabric.report(report, end);
    for (const std::string c : {"edge", "core"}) {
        const double states = report.value("time.active." + c) + report.value("time.sleep." + c) +
                              report.value("time.lpi." + c) + report.value("time.wake." + c);
        EXPECT_NEAR(states, 1, 1e-9);
        EXPECT_LE(report.value("utilisation." + c), report.value("time.active." + c) + 1e-12);
        EXPECT_LE(report.value("power." + c + ".rel"), 1 + 1e-12);
        EXPECT_GE(report.value("power." + c + ".rel"), 0.1 - 1e-12);
    }
    EXPECT_DOUBLE_EQ(report.value("energy.total"), report.value("energy.edge") + report.value("energy.core"));
}

TEST(Conservation, RandomConfigurations) {
    Random random(2024);
    std::uint64_t drops = 0;
    std::uint64_t marks = 0;
    std::uint64_t timeouts = 0;
    for (int round = 0; round < 150; ++round) {
        const nlohmann::json d = test::random_document(random);
        SCOPED_TRACE("round " + std::to_string(round) + ": " + d.dump());
        Bench bench(d);
        Watcher watcher(bench.fabric);
        const auto hosts = static_cast<std::uint64_t>(bench.fabric.config().topology.nodes);
        std::uint64_t bytes = 0;
        for (int i = 0; i < 40; ++i) {
            const int client = static_cast<int>(random.below(hosts));
            const int server = static_cast<int>(random.below(hosts));
            const std::uint64_t size = random.below(3) == 0 ? random.below(3000) : random.below(200000);
            bytes += client == server ? 0 : size;
            if (client != server) {
                bench.fetch(client, server, size);
            }
        }
        bench.fabric.run();
        check_transport(bench, bytes);
        check_energy(bench, bench.fabric.clock().now());
        Report report;
        bench.fabric.report(report, bench.fabric.clock().now());
        EXPECT_EQ(static_cast<double>(watcher.drops), report.value("drops"));
        drops += watcher.drops;
        marks += static_cast<std::uint64_t>(report.value("marks"));
        timeouts += bench.counters().timeouts;
        if (testing::Test::HasFailure()) {
            return;
        }
    }
    EXPECT_GT(drops, 100U);  // otherwise this has tested little
    EXPECT_GT(marks, 100U);
    EXPECT_GT(timeouts, 100U);
}

std::string shuffle_report(const nlohmann::json& d, bool watched = false) {
    Fabric fabric(test::config(d));
    std::unique_ptr<Watcher> watcher;
    if (watched) {
        watcher = std::make_unique<Watcher>(fabric);
    }
    Shuffle shuffle(read_shuffle(d), fabric);
    shuffle.start();
    fabric.run();
    Report report;
    report.add("makespan", to_seconds(shuffle.end()), "s");
    fabric.report(report, shuffle.end());
    return report.json();
}

TEST(Determinism, SameSeedSameReport) {
    Random random(77);
    for (int round = 0; round < 10; ++round) {
        const nlohmann::json d = test::random_document(random);
        const std::string report = shuffle_report(d);
        EXPECT_EQ(report, shuffle_report(d));
        EXPECT_EQ(report, shuffle_report(d, true)) << "watching changes the run";
        nlohmann::json other = d;
        other["seed"] = d["seed"].get<int>() + 1;
        other["tcp"]["jitter_us"] = 10;
        EXPECT_NE(report, shuffle_report(other));
    }
}

/// Any compiler, optimisation and processor must give these numbers. They change with the model, and with
/// nothing else.
TEST(Determinism, SameResultsOnEveryMachine) {
    nlohmann::json d = test::document(8);
    d["tcp"]["flavour"] = "cubic";
    d["tcp"]["jitter_us"] = 10;
    d["buffer_bytes"] = 60000;
    d["queue"] = {{"kind", "red"},      {"min_bytes", 5000}, {"max_bytes", 50000},
                  {"probability", 0.1}, {"weight", 0.002},   {"ecn", false}};
    d["eee"]["core"] = {{"policy", "adaptive"}, {"delay_bound_us", 50}};
    Fabric fabric(test::config(d));
    Shuffle shuffle(read_shuffle(d), fabric);
    shuffle.start();
    fabric.run();
    EXPECT_EQ(shuffle.end(), 1016565667467);
    EXPECT_EQ(fabric.network().hops(), 49737U);
    EXPECT_EQ(fabric.tcp().counters().lost, 872U);
    EXPECT_EQ(fabric.network().totals(LinkClass::core, shuffle.end()).account.low(), 4038063293868);
}

/// The same for a large network, whose events are kept in a calendar and prefetched.
TEST(Determinism, LargeNetworksGiveTheSameOnEveryMachine) {
    nlohmann::json d = test::document();
    d["topology"] = {{"kind", "fat-tree"}, {"k", 10}, {"edge", "10g"}, {"core", "40g"}};
    d["latency"] = {{"edge_us", 150}, {"core_us", 50}, {"added_us", 0}};
    d["tcp"]["jitter_us"] = 10;
    Bench bench(d);
    Random random(5);
    for (int i = 0; i < 5000; ++i) {
        const std::uint64_t client = random.below(250);
        const std::uint64_t server = (client + 1 + random.below(249)) % 250;
        bench.fetch(static_cast<int>(client), static_cast<int>(server), random.below(20'000));
    }
    bench.fabric.run();
    EXPECT_TRUE(bench.fabric.clock().many());
    EXPECT_EQ(bench.fabric.network().hops(), 473114U);
    EXPECT_EQ(bench.fabric.clock().now(), 1000542854555);
    EXPECT_EQ(bench.fabric.network().totals(LinkClass::core, bench.fabric.clock().now()).account.low(),
              1000104825786600);
}

/// Only what both directions leave idle saves energy.
TEST(Energy, SymmetricLowPowerIdle) {
    nlohmann::json d = test::document();
    d["topology"]["core"] = "1g";
    const auto power = [&d](bool symmetric) {
        d["eee"]["symmetric_lpi"] = symmetric;
        Bench bench(d);
        bench.fetch(1, 2, 5000000);  // one way data, the other way acknowledgements
        bench.fabric.run();
        Report report;
        bench.fabric.report(report, seconds(0.1));
        return std::pair(report.value("power.core.rel"), report.value("time.lpi.core"));
    };
    const auto [apart, low] = power(false);
    const auto [together, same_low] = power(true);
    EXPECT_GT(together, apart + 1e-4);
    EXPECT_EQ(low, same_low);
    EXPECT_LT(together, 1);
}

/// A trigger that the buffer cannot hold: without the wake the port holds on and drops what comes. Data comes
/// one way over a rack's uplink, from hosts that hold nothing themselves.
TEST(Coalescing, APortWakesBeforeItsBufferOverflows) {
    nlohmann::json d = test::document(6);
    d["buffer_bytes"] = 20000;
    d["eee"]["core"] = test::coalesce(10000, 1000);
    d["tcp"]["window_bytes"] = 1048576;
    const auto drops_and_waits = [&d](bool wake) {
        d["eee"]["wake_on_full"] = wake;
        Bench bench(d);
        for (int i = 0; i < 8; ++i) {
            bench.fetch(1, 2, 40000);
            bench.fetch(3, 4, 40000);
        }
        bench.fabric.run();
        Report report;
        bench.fabric.report(report, bench.fabric.clock().now());
        return std::pair(report.value("drops"), bench.fabric.clock().now());
    };
    const auto [dropped, late] = drops_and_waits(false);
    const auto [kept, soon] = drops_and_waits(true);
    EXPECT_GT(dropped, 10);
    EXPECT_LT(kept, dropped / 2);
    EXPECT_LT(soon, late);
}

TEST(Energy, AddsUpToWattsTimesSeconds) {
    nlohmann::json d = test::document();
    d["eee"]["edge"] = d["eee"]["core"] = {{"policy", "legacy"}};
    Bench bench(d);
    bench.fetch(1, 2, 100000);
    bench.fabric.run();
    Report report;
    bench.fabric.report(report, 10 * kSecond);
    EXPECT_NEAR(report.value("energy.edge"), 10 * 0.5 * 2 * 6, 1e-9);  // two ports a cable, six hosts
    EXPECT_NEAR(report.value("energy.core"), 10 * 2.5 * 2 * 2, 1e-9);  // two uplinks
    EXPECT_NEAR(report.value("power.rel"), 1, 1e-12);
    EXPECT_NEAR(report.value("energy.port.mean"), (60 + 100) / 16.0, 1e-9);
}

}  // namespace
}  // namespace netsim
