// The job layer under random configurations: whatever is set, every task runs once and every byte arrives.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "mapreduce_world.hpp"
#include "netsim/random.hpp"

namespace netsim::mapreduce {
namespace {

using Json = nlohmann::json;

Json random_config(Random& random) {
    const auto one_of = [&](std::initializer_list<Json> choices) {
        return choices.begin()[random.below(choices.size())];
    };
    Json config;
    config["cluster"] = {{"cores", one_of({1, 2, 4})}, {"core_hz", one_of({1e9, 2.5e9, 1e11})}};
    config["hadoop"] = {{"heartbeat_s", one_of({0.1, 1, 3})},
                        {"tasks_per_heartbeat", one_of({1, 2, 5})},
                        {"map_slots", one_of({1, 2, 3})},
                        {"reduce_slots", one_of({1, 2})},
                        {"scheduler", one_of({"quincy", "fair", "fifo"})},
                        {"replication", one_of({1, 3, 5})},
                        {"output_replication", one_of({1, 2, 3})},
                        {"placement", one_of({"random", "balanced"})},
                        {"slowstart", one_of({0, 0.05, 0.5, 1})},
                        {"report", one_of({"at-once", "heartbeat"})},
                        {"control_bytes", one_of({0, 100, 5000})},
                        {"noise", one_of({1, 1.1, 1.5})}};
    config["hadoop"]["map"] = {{"spill_bytes", one_of({1e6, 50e6})}, {"wrap_up_cycles", one_of({0, 4.8e9})}};
    config["hadoop"]["reduce"] = {{"copiers", one_of({1, 5, 50})},
                                  {"fetch_order", one_of({"completion", "random"})},
                                  {"memory_bytes", one_of({1e5, 69e6})},
                                  {"disk_read", one_of({true, false})}};
    config["jobs"] = {{"workload", one_of({"small", "terasort", "batch"})},
                      {"count", 1 + random.below(5)},
                      {"load_percent", one_of({5, 40, 300})},
                      {"arrivals", one_of({"poisson", "fixed"})},
                      {"maps", one_of({0, 1, 7})},
                      {"reduces", one_of({0, 1, 3})},
                      {"block_bytes", one_of({1, 1000, 10000019})}};
    return config;
}

TEST(RandomRuns, EveryTaskRunsOnceAndEveryByteArrives) {
    Random random(11);
    for (int trial = 0; trial < 150; ++trial) {
        const Json config = random_config(random);
        const int hosts = 2 + static_cast<int>(random.below(12));
        SCOPED_TRACE(config.dump() + " on " + std::to_string(hosts));
        const test::World world(config.dump(), hosts, random.next());
        const Tracker& tracker = world.run.tracker();
        int maps = 0;
        int reduces = 0;
        std::uint64_t input = 0;
        std::uint64_t shuffle = 0;
        for (const JobSpec& job : tracker.jobs()) {
            maps += job.maps();
            reduces += job.reduces;
            input += job.input_bytes();
            shuffle += job.shuffle_bytes();
        }
        const TaskTotals& tasks = tracker.task_totals();
        ASSERT_EQ(world.ends, 1);
        EXPECT_EQ(tracker.results().size(), tracker.jobs().size());
        EXPECT_EQ(tasks.maps, maps);  // none was started twice or killed
        EXPECT_EQ(tasks.reduces, reduces);
        EXPECT_EQ(tasks.input_bytes, input);
        EXPECT_EQ(tasks.shuffle_bytes, shuffle);
        EXPECT_EQ(tasks.output_bytes, shuffle);
        EXPECT_LE(tasks.most_copiers, world.config.hadoop.reduce.copiers);
        EXPECT_LE(tracker.totals().most_maps_on_node, world.config.hadoop.map_slots);
        EXPECT_LE(tracker.totals().most_reduces_on_node, world.config.hadoop.reduce_slots);
        EXPECT_FALSE(world.loop.past());
        EXPECT_LE(world.report.value("cpu.load"), 1);
        for (const JobResult& job : tracker.results()) {
            EXPECT_GT(job.end, job.ready);
            EXPECT_LE(job.end, world.end);
        }
    }
}

}  // namespace
}  // namespace netsim::mapreduce
