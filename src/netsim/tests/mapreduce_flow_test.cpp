// Minimum cost flow against trying everything, and the sharing of devices against arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "mapreduce_world.hpp"
#include "netsim/mapreduce/min_cost_flow.hpp"
#include "netsim/random.hpp"

namespace netsim::mapreduce {
namespace {

using Amount = MinCostFlow::Amount;

struct Arc {
    int from;
    int to;
    Amount capacity;
    Amount cost;
};

/// Cheapest cost of each amount of flow from 0 to n-1, by trying all flows on all arcs.
std::map<Amount, Amount> all_flows(int nodes, const std::vector<Arc>& arcs) {
    std::map<Amount, Amount> best;
    std::vector<Amount> balance(static_cast<std::size_t>(nodes), 0);
    const std::function<void(std::size_t, Amount)> visit = [&](std::size_t i, Amount cost) {
        if (i == arcs.size()) {
            for (int node = 1; node + 1 < nodes; ++node) {
                if (balance[static_cast<std::size_t>(node)] != 0) {
                    return;
                }
            }
            const Amount flow = balance.back();
            if (flow >= 0 && (!best.contains(flow) || cost < best[flow])) {
                best[flow] = cost;
            }
            return;
        }
        const Arc& arc = arcs[i];
        for (Amount flow = 0; flow <= arc.capacity; ++flow) {
            balance[static_cast<std::size_t>(arc.from)] -= flow;
            balance[static_cast<std::size_t>(arc.to)] += flow;
            visit(i + 1, cost + flow * arc.cost);
            balance[static_cast<std::size_t>(arc.from)] += flow;
            balance[static_cast<std::size_t>(arc.to)] -= flow;
        }
    };
    visit(0, 0);
    return best;
}

/// An acyclic graph with costs of any sign.
std::vector<Arc> random_arcs(int nodes, int count, Random& random) {
    std::vector<Arc> arcs;
    for (int i = 0; i < count; ++i) {
        const int from = static_cast<int>(random.below(static_cast<std::uint64_t>(nodes - 1)));
        const int to =
            from + 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(nodes - 1 - from)));
        arcs.push_back(
            {from, to, static_cast<Amount>(random.below(3)), static_cast<Amount>(random.below(21)) - 10});
    }
    return arcs;
}

TEST(MinCostFlow, AgreesWithTryingEverything) {
    Random random(1);
    for (int trial = 0; trial < 400; ++trial) {
        const int nodes = 3 + static_cast<int>(random.below(4));
        const std::vector<Arc> arcs = random_arcs(nodes, 9, random);
        const std::map<Amount, Amount> best = all_flows(nodes, arcs);
        for (const bool while_negative : {false, true}) {
            MinCostFlow graph(nodes);
            for (const Arc& arc : arcs) {
                graph.add_arc(arc.from, arc.to, arc.capacity, arc.cost);
            }
            const MinCostFlow::Result found = graph.solve(0, nodes - 1, 1000, while_negative);
            Amount cost = 0;
            for (std::size_t i = 0; i < arcs.size(); ++i) {
                const Amount flow = graph.flow(static_cast<int>(i));
                ASSERT_GE(flow, 0);
                ASSERT_LE(flow, arcs[i].capacity);
                cost += flow * arcs[i].cost;
            }
            ASSERT_EQ(cost, found.cost);
            if (while_negative) {
                Amount lowest = 0;
                for (const auto& [flow, at_least] : best) {
                    lowest = std::min(lowest, at_least);
                }
                // Cycles through unreachable parts cannot exist in an acyclic graph, so that the best flow is
                // on paths.
                ASSERT_EQ(found.cost, lowest) << "trial " << trial;
            } else {
                ASSERT_EQ(found.flow, best.rbegin()->first) << "trial " << trial;
                ASSERT_EQ(found.cost, best.rbegin()->second) << "trial " << trial;
            }
        }
    }
}

TEST(MinCostFlow, SendsNoMoreThanTheLimit) {
    MinCostFlow graph(2);
    graph.add_arc(0, 1, 10, 3);
    const MinCostFlow::Result found = graph.solve(0, 1, 4, false);
    EXPECT_EQ(found.flow, 4);
    EXPECT_EQ(found.cost, 12);
}

/// Serves pieces of work that begin at given times; remembers when each ends.
class Jobs {
  public:
    Jobs(Clock& clock, int units) : waiting_(clock, network_), server_(clock, units) {}
    Processes& processes() { return processes_; }
    SharedServer& server() { return server_; }
    Process run(Time begin, Time work, Time& end, Clock& clock) {
        co_await waiting_.sleep(begin);
        co_await server_.serve(work);
        end = clock.now();
    }

  private:
    struct NoNetwork final : Transfers {
        void fetch(Time /*now*/, int /*client*/, int /*server*/, std::uint64_t /*bytes*/,
                   TransferDone& /*to*/, std::uint64_t /*tag*/) override {}
    };
    NoNetwork network_;
    Waiting waiting_;
    SharedServer server_;
    Processes processes_;
};

TEST(SharedServer, TasksShareWhatThereIs) {
    test::Loop loop;
    Jobs jobs(loop, 2);
    std::vector<Time> ends(3, -1);
    // Alone until 10; three on two units until the first has had its 100: at 10 + (100-10)*3/2 = 145.
    jobs.run(0, 100, ends[0], loop);
    jobs.run(10, 120, ends[1], loop);
    jobs.run(10, 120, ends[2], loop);
    loop.run();
    EXPECT_EQ(ends[0], 145);
    EXPECT_EQ(ends[1], 175);  // 90 of 120 done by then, the rest alone on a unit each
    EXPECT_EQ(ends[2], 175);
    EXPECT_EQ(jobs.server().busy(175), 340);
    EXPECT_EQ(jobs.processes().alive(), 0U);
    EXPECT_FALSE(loop.past());
}

TEST(SharedServer, SpendsTheWorkOfRandomTasks) {
    Random random(7);
    for (int trial = 0; trial < 50; ++trial) {
        test::Loop loop;
        const int units = 1 + static_cast<int>(random.below(4));
        Jobs jobs(loop, units);
        std::vector<Time> ends(40, -1);
        std::vector<Time> begins;
        std::vector<Time> works;
        Time sum = 0;
        for (Time& end : ends) {
            begins.push_back(static_cast<Time>(random.below(1'000'000)));
            works.push_back(1 + static_cast<Time>(random.below(1'000'000)));
            sum += works.back();
            jobs.run(begins.back(), works.back(), end, loop);
        }
        loop.run();
        for (std::size_t i = 0; i < ends.size(); ++i) {
            EXPECT_GE(ends[i], begins[i] + works[i]);
        }
        // A call at whole picoseconds may come one late per begin and end.
        EXPECT_NEAR(static_cast<double>(jobs.server().busy(loop.now())), static_cast<double>(sum),
                    80.0 * units * 40);
    }
}

TEST(Processes, LeftOnesAreDestroyed) {
    test::Loop loop;
    auto jobs = std::make_unique<Jobs>(loop, 1);
    Time end = -1;
    jobs->run(10, 10, end, loop);
    EXPECT_EQ(jobs->processes().alive(), 1U);
    jobs.reset();  // a leak would fail the sanitizer's run
    EXPECT_EQ(end, -1);
}

TEST(FairShares, NobodyGetsMoreThanItDemandsAndNothingIsLeft) {
    EXPECT_EQ(fair_shares({10, 10}, 8), (std::vector<int>{4, 4}));
    EXPECT_EQ(fair_shares({2, 10, 10}, 12), (std::vector<int>{2, 5, 5}));
    EXPECT_EQ(fair_shares({5, 5, 5}, 2), (std::vector<int>{1, 1, 0}));
    EXPECT_EQ(fair_shares({1, 2}, 100), (std::vector<int>{1, 2}));
    EXPECT_EQ(fair_shares({}, 3), (std::vector<int>{}));
}

}  // namespace
}  // namespace netsim::mapreduce
