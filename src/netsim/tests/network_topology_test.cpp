#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "documents.hpp"
#include "netsim/topology.hpp"
#include "transfers.hpp"

namespace netsim {
namespace {

TopologyConfig two_rack(int nodes) {
    TopologyConfig config;
    config.nodes = nodes;
    return config;
}

TopologyConfig fat_tree(int k) {
    TopologyConfig config;
    config.kind = TopologyConfig::Kind::fat_tree;
    config.k = k;
    config.nodes = k * k * k / 4;
    return config;
}

TEST(Topology, TwoRacks) {
    for (const int n : {2, 3, 24, 81}) {
        const Topology topology(two_rack(n));
        EXPECT_EQ(topology.links().size(), 2U * static_cast<unsigned>(n) + 4);
        for (int a = 0; a < n; ++a) {
            for (int b = 0; b < n; ++b) {
                if (a == b) {
                    continue;
                }
                const Path path = topology.path(a, b, 0);
                EXPECT_EQ(path.length, a % 2 == b % 2 ? 2U : 4U);
                EXPECT_EQ(topology.links()[path.links[0]].host, a);
                EXPECT_TRUE(topology.links()[path.links[0]].from_host);
                EXPECT_EQ(topology.links()[path.links[path.length - 1]].host, b);
                EXPECT_TRUE(topology.links()[path.links[path.length - 1]].to_host);
            }
        }
    }
}

/// Where the two ends of a fat tree's cables are, told from how paths use them: wherever paths share a link,
/// the switch before and behind it must be the same.
TEST(Topology, FatTreePathsAreConsistent) {
    for (const int k : {2, 4, 6}) {
        const Topology topology(fat_tree(k));
        const int hosts = k * k * k / 4;
        EXPECT_EQ(topology.links().size(), 6U * static_cast<unsigned>(hosts));
        const int half = k / 2;
        const std::uint64_t paths = static_cast<std::uint64_t>(half) * static_cast<std::uint64_t>(half);
        std::map<std::uint32_t, std::set<std::uint32_t>> after;  // links that follow a link
        std::set<std::uint32_t> used;
        for (int a = 0; a < hosts; ++a) {
            for (int b = 0; b < hosts; ++b) {
                for (std::uint64_t hash = 0; a != b && hash < paths; ++hash) {
                    const Path path = topology.path(a, b, hash);
                    const bool same_edge = a / half == b / half;
                    const bool same_pod = a / (half * half) == b / (half * half);
                    ASSERT_EQ(path.length, same_edge ? 2U : same_pod ? 4U : 6U);
                    for (std::uint32_t i = 0; i < path.length; ++i) {
                        const LinkPlace& place = topology.links()[path.links[i]];
                        ASSERT_EQ(place.from_host, i == 0);
                        ASSERT_EQ(place.to_host, i + 1 == path.length);
                        ASSERT_EQ(path.links[i] % 2, i < path.length / 2 ? 0U : 1U);  // up, then down
                        used.insert(path.links[i]);
                        if (i > 0) {
                            after[path.links[i - 1]].insert(path.links[i]);
                        }
                    }
                    EXPECT_EQ(topology.links()[path.links[0]].host, a);
                    EXPECT_EQ(topology.links()[path.links[path.length - 1]].host, b);
                }
            }
        }
        EXPECT_EQ(used.size(), topology.links().size());
        for (const auto& [link, next] : after) {
            // A switch has k ports, and a packet does not leave by the one it came through.
            EXPECT_LE(next.size(), static_cast<std::size_t>(k - 1)) << "link " << link;
        }
        // Two links into one switch go on to the same links, but for their own way back.
        for (const auto& [a, next_a] : after) {
            for (const auto& [b, next_b] : after) {
                std::set<std::uint32_t> shared;
                for (const std::uint32_t link : next_a) {
                    if (next_b.count(link) != 0) {
                        shared.insert(link);
                    }
                }
                if (!shared.empty() && a % 2 == 0 && b % 2 == 0) {
                    EXPECT_GE(shared.size() + 2, std::max(next_a.size(), next_b.size()));
                }
            }
        }
    }
}

TEST(Topology, FlowsSpreadOverPaths) {
    nlohmann::json d = test::document();
    d["topology"] = {{"kind", "fat-tree"}, {"k", 4}, {"edge", "1g"}, {"core", "10g"}};
    test::Bench bench(d);
    for (int i = 0; i < 400; ++i) {
        bench.fetch(0, 15, 2000);
    }
    bench.fabric.run();
    EXPECT_EQ(bench.counters().transfers, 400U);
    int busy = 0;
    for (std::uint32_t i = 32; i < bench.fabric.network().links(); ++i) {
        busy += bench.fabric.network().link(i).packets > 200 ? 1 : 0;
    }
    EXPECT_EQ(busy,
              2 * (2 + 4 + 4 + 2));  // each way: 2 aggregation switches, 2 core switches each, and down again
}

/// A burst into a port of known size: what does not fit is lost, to the byte.
TEST(DropTail, KeepsToTheByte) {
    nlohmann::json d = test::document();
    d["buffer_bytes"] = 10 * 1518 + 5;
    d["tcp"]["initial_window"] = 40;
    d["topology"]["edge"] = "1g";
    d["topology"]["core"] = "10g";
    d["eee"]["edge"] = d["eee"]["core"] = {{"policy", "legacy"}};
    d["tcp"]["syn_loss"] = false;
    test::Bench bench(d);
    std::map<std::uint32_t, int> drops;
    bench.fetch(1, 3, 58400);
    bench.fetch(1, 5, 58400);  // two senders at 1 Gb/s into one port at 1 Gb/s
    bench.fabric.run();
    EXPECT_EQ(bench.counters().transfers, 2U);
    // While 80 packets arrive at twice the rate, 40 leave, 1 more is in transmission or has left, and 10
    // wait.
    EXPECT_NEAR(static_cast<double>(bench.fabric.network().link(3).drops), 80 - 40 - 10, 2);
}

}  // namespace
}  // namespace netsim
