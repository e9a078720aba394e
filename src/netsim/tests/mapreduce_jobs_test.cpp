// The job layer on an ideal network: what is conserved, what is never exceeded, what the schedulers do.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "mapreduce_world.hpp"

namespace netsim::mapreduce {
namespace {

using test::config_of;
using test::World;

constexpr double kTableMiB = 1024.0 * 1024.0;

TEST(Jobs, MoveTheBytesOfTableThree) {
    const World small(R"({"jobs": {"workload": "small", "count": 3}})", 24);
    const double each = 640 * kTableMiB;
    EXPECT_DOUBLE_EQ(small.report.value("input.bytes"), 3 * each);
    EXPECT_NEAR(small.report.value("shuffle.bytes"), (640 + 0.033 + 114) * kTableMiB,
                30);  // whole bytes per map
    EXPECT_DOUBLE_EQ(small.report.value("output.bytes"), small.report.value("shuffle.bytes"));

    for (const auto& [hosts, megabytes] : std::map<int, double>{{24, 5888}, {50, 12544}, {80, 20224}}) {
        const World batch(R"({"jobs": {"workload": "batch"}})", hosts);
        EXPECT_DOUBLE_EQ(batch.report.value("input.bytes"), megabytes * kTableMiB);
        EXPECT_DOUBLE_EQ(batch.report.value("shuffle.bytes"), megabytes * kTableMiB);
        EXPECT_DOUBLE_EQ(batch.report.value("output.bytes"), megabytes * kTableMiB);
        EXPECT_EQ(batch.report.value("jobs"), 1);
    }
}

TEST(Jobs, EveryRemoteByteCrossesTheNetworkOnce) {
    for (const char* replication : {"1", "3"}) {
        const World world(
            std::string(R"({"hadoop": {"control_bytes": 0, "replication": 1, "output_replication": )") +
                replication + R"(}, "jobs": {"workload": "small", "count": 6}})",
            24);
        EXPECT_DOUBLE_EQ(static_cast<double>(world.network.total),
                         world.report.value("input.bytes.remote") +
                             world.report.value("shuffle.bytes.remote") +
                             world.report.value("output.bytes.remote"));
        const double copies = replication[0] == '3' ? 2 : 0;
        EXPECT_DOUBLE_EQ(world.report.value("output.bytes.remote"),
                         copies * world.report.value("output.bytes"));
        for (const auto& [ends, bytes] : world.network.carried) {
            EXPECT_NE(ends.first, ends.second);
            EXPECT_NE(ends.first, 0) << "the tracker's host stores nothing";
            EXPECT_NE(ends.second, 0);
        }
    }
}

TEST(Jobs, ControlIsTrafficIfItHasBytes) {
    const std::string jobs = R"(, "jobs": {"workload": "small", "count": 1}})";
    const World with(R"({"hadoop": {"control_bytes": 100})" + jobs, 24);
    const World without(R"({"hadoop": {"control_bytes": 0})" + jobs, 24);
    EXPECT_GT(with.network.transfers, without.network.transfers + 23 * 10);  // a heartbeat a second from each
    EXPECT_GT(with.report.value("makespan"), without.report.value("makespan"));
}

TEST(Jobs, SlotsAndCopiersAreNeverExceeded) {
    for (const char* scheduler : {"quincy", "fair", "fifo"}) {
        const World world(std::string(R"({"hadoop": {"scheduler": ")") + scheduler +
                              R"(", "control_bytes": 0, "reduce": {"copiers": 3}},
                                  "jobs": {"workload": "small", "count": 30, "load_percent": 90}})",
                          12);
        const TrackerTotals& totals = world.run.tracker().totals();
        EXPECT_EQ(totals.most_maps_on_node, 2);
        EXPECT_LE(totals.most_reduces_on_node, 2);
        EXPECT_EQ(world.run.tracker().task_totals().most_copiers, 3);
        for (const auto& [client, most] : world.network.most_to_client) {
            EXPECT_LE(most, 2 * 3 + 2) << "two reduces with 3 copiers and two maps";
        }
        EXPECT_EQ(world.ends, 1);
        EXPECT_EQ(world.report.value("jobs"), 30);
        EXPECT_FALSE(world.loop.past());
    }
}

TEST(Jobs, AreTheSameForASeedAndDifferForAnother) {
    const std::string text = R"({"jobs": {"workload": "small", "count": 9}})";
    const World a(text, 24, 5);
    const World b(text, 24, 5);
    const World c(text, 24, 6);
    EXPECT_EQ(a.report.json(), b.report.json());
    EXPECT_NE(a.report.value("makespan"), c.report.value("makespan"));
}

TEST(Jobs, NoiseDoesNotDependOnTheNetwork) {
    // The sum of core seconds is that of the tasks' own random numbers, whenever they ran.
    const std::string jobs = R"(, "jobs": {"workload": "terasort", "count": 4}})";
    const World slow(R"({"hadoop": {"control_bytes": 100})" + jobs, 24);
    const World fast(R"({"hadoop": {"control_bytes": 0})" + jobs, 24);
    const auto core_seconds = [](const World& world) {
        return world.report.value("cpu.load") * world.report.value("makespan") * 46;
    };
    EXPECT_NEAR(core_seconds(slow) / core_seconds(fast), 1, 0.002);  // merges may fall together otherwise
}

TEST(Jobs, LoadIsAsAskedWhileJobsCome) {
    for (const double load : {10.0, 40.0, 55.0}) {
        const World world(
            R"({"jobs": {"workload": "small", "count": 300, "load_percent": )" + std::to_string(load) + "}}",
            24);
        EXPECT_NEAR(world.report.value("cpu.load.arriving"), load / 100, 0.06 * load / 100) << load;
        EXPECT_NEAR(world.report.value("cpu.demand") / (46 * world.report.value("makespan")),
                    world.report.value("cpu.load"), 0.01 * load / 100)
            << "demand as computed and as spent";
    }
}

TEST(Jobs, NearlyAllMapsAreLocalWithQuincyAtLowLoad) {
    const std::string jobs = R"(}, "jobs": {"workload": "small", "count": 30, "load_percent": 20}})";
    const World quincy(R"({"hadoop": {"scheduler": "quincy")" + jobs, 24);
    const World fifo(R"({"hadoop": {"scheduler": "fifo")" + jobs, 24);
    EXPECT_GT(quincy.report.value("maps.local"), 0.8);
    EXPECT_GT(quincy.report.value("maps.local"), fifo.report.value("maps.local") + 0.2);
}

TEST(Jobs, ReplicatedInputIsMoreOftenLocal) {
    const std::string jobs = R"(, "scheduler": "fifo"}, "jobs": {"workload": "small", "count": 30}})";
    const World one(R"({"hadoop": {"replication": 1)" + jobs, 24);
    const World three(R"({"hadoop": {"replication": 3)" + jobs, 24);
    EXPECT_GT(three.report.value("maps.local"), one.report.value("maps.local") + 0.1);
}

TEST(Jobs, HeartbeatReportsTakeLonger) {
    const std::string jobs = R"(, "control_bytes": 0}, "jobs": {"workload": "small", "count": 6}})";
    const World once(R"({"hadoop": {"report": "at-once")" + jobs, 24);
    const World beat(R"({"hadoop": {"report": "heartbeat")" + jobs, 24);
    EXPECT_GT(beat.report.value("runtime.mean"), once.report.value("runtime.mean"));
    EXPECT_DOUBLE_EQ(beat.report.value("shuffle.bytes"), once.report.value("shuffle.bytes"));
}

TEST(Jobs, SlowstartHoldsReducesBack) {
    const std::string jobs = R"(}, "jobs": {"workload": "batch", "block_bytes": 16777216}})";
    const World early(R"({"hadoop": {"slowstart": 0)" + jobs, 12);
    const World late(R"({"hadoop": {"slowstart": 1)" + jobs, 12);
    EXPECT_GT(early.report.value("shuffle.mean"), late.report.value("shuffle.mean"));
    EXPECT_LT(early.report.value("makespan"), late.report.value("makespan"));
}

TEST(Jobs, OneJobWithoutNoiseTakesWhatArithmeticSays) {
    // One map of 10 MB on one worker, then its reduce; no control, no disk to speak of.
    const World world(R"({"cluster": {"core_hz": 1e9, "disk_read": 1e15, "disk_write": 1e15},
        "hadoop": {"control_bytes": 0, "noise": 1, "noise_reduce": 1, "slowstart": 1, "heartbeat_s": 1,
                   "quincy": {"wait": 1000},
                   "map": {"jvm_cycles": 2e9, "cycles_per_byte": 100, "sort_cycles_per_byte": 50},
                   "reduce": {"jvm_cycles": 1e9, "merge_cycles": 5e8, "sort_cycles": 2e9, "cycles_per_byte": 200}},
        "jobs": {"workload": "batch", "maps": 1, "reduces": 1, "block_bytes": 1e7}})",
                      2);
    EXPECT_NEAR(world.report.value("map.mean"), 2 + 1 + 0.5, 1e-6);
    EXPECT_NEAR(world.report.value("reduce.mean"), 0.5 + 2 + 2, 1e-6);
    EXPECT_NEAR(world.report.value("shuffle.mean"), 0, 1e-6);
    const double cpu = 3.5 + 1 + 4.5;
    EXPECT_NEAR(world.report.value("cpu.demand"), cpu, 1e-9);
    EXPECT_NEAR(world.report.value("cpu.load") * 2 * world.report.value("makespan"), cpu, 1e-6);
    // A heartbeat starts the map within a second of the job, the next one after its end the reduce.
    EXPECT_GE(world.report.value("makespan"), cpu);
    EXPECT_LE(world.report.value("makespan"), cpu + 2);
    EXPECT_EQ(world.network.total, 0U);
}

/// Share of all map slots that the first job of two equal ones holds while both want all.
double most_of_one_job(const char* scheduler) {
    const World world(
        std::string(R"({"hadoop": {"scheduler": ")") + scheduler +
            R"(", "control_bytes": 0, "replication": 3}, "jobs": {"workload": "terasort", "count": 2, "maps": 60,
                              "arrivals": "fixed", "load_percent": 1000}})",
        12);
    std::map<int, double> end;
    for (const JobResult& job : world.run.tracker().results()) {
        end[job.id] = to_seconds(job.end);
    }
    return end[0] / end[1];
}

TEST(Schedulers, FairAndQuincyShareWhereFifoDoesNot) {
    const double fifo = most_of_one_job("fifo");
    EXPECT_LT(fifo, most_of_one_job("fair") - 0.02);
    EXPECT_LT(fifo, most_of_one_job("quincy") - 0.02);
}

/// Running and pending maps of two jobs, all blocks everywhere.
struct Bench {
    explicit Bench(const std::string& policy)
        : scheduler(make_scheduler(config_of(R"({"hadoop": {"scheduler": ")" + policy + R"("}})").hadoop)) {
        for (JobSpec& spec : specs) {
            spec.replicas.assign(20, {1, 2, 3, 4});
        }
        for (const JobSpec& spec : specs) {
            states.push_back(std::make_unique<JobState>(spec));
            jobs.push_back(states.back().get());
        }
    }
    /// Gives every node 2 maps; returns how many of them are of each job.
    std::pair<int, int> fill() {
        std::pair<int, int> got{0, 0};
        for (int round = 0; round < 2; ++round) {
            for (int node = 1; node <= 4; ++node) {
                const std::optional<MapChoice> choice = scheduler->pick_map(node, 10 * kSecond, view);
                if (!choice) {
                    continue;
                }
                JobState& job = *choice->job;
                std::erase(job.pending_maps, choice->map);
                ++job.running_maps;
                --free[static_cast<std::size_t>(node)];
                ++(&job == jobs[0] ? got.first : got.second);
            }
        }
        return got;
    }
    Racks racks = test::two_racks(5);
    std::vector<JobSpec> specs{2};
    std::vector<std::unique_ptr<JobState>> states;
    std::vector<JobState*> jobs;
    std::vector<int> free{0, 2, 2, 2, 2};
    ClusterView view{racks, jobs, free, 8};
    std::unique_ptr<Scheduler> scheduler;
};

TEST(Schedulers, ShareSlotsEvenly) {
    EXPECT_EQ(Bench("fair").fill(), (std::pair{4, 4}));
    EXPECT_EQ(Bench("quincy").fill(), (std::pair{4, 4}));
    EXPECT_EQ(Bench("fifo").fill(), (std::pair{8, 0}));
}

TEST(Schedulers, QuincyWaitsForANearNodeAsLongAsThatIsCheaper) {
    // One map on node 1, which is full: 0.5 a second of waiting against 1 in the rack (node 3) and 2
    // elsewhere.
    JobSpec spec;
    spec.replicas = {{1}};
    JobState job(spec);
    std::vector<JobState*> jobs{&job};
    const Racks racks = test::two_racks(5);
    std::vector<int> free{0, 0, 2, 2, 2};
    const ClusterView view{racks, jobs, free, 8};
    const auto scheduler = make_scheduler(HadoopConfig{});
    for (int node = 2; node <= 4; ++node) {
        EXPECT_FALSE(scheduler->pick_map(node, kSecond, view)) << node;
    }
    EXPECT_FALSE(scheduler->pick_map(2, 3 * kSecond, view)) << "other rack";
    EXPECT_TRUE(scheduler->pick_map(3, 3 * kSecond, view)) << "same rack";
    free[3] = 0;
    scheduler->changed();
    EXPECT_FALSE(scheduler->pick_map(2, 3 * kSecond, view) || scheduler->pick_map(4, 3 * kSecond, view));
    EXPECT_TRUE(scheduler->pick_map(2, 5 * kSecond, view) || scheduler->pick_map(4, 5 * kSecond, view));
    free[1] = 1;
    scheduler->changed();
    EXPECT_TRUE(scheduler->pick_map(1, 10 * kMillisecond, view));
}

TEST(Placement, FollowsHadoop) {
    const Config config = config_of(R"({"hadoop": {"replication": 3}, "jobs": {"workload": "batch"}})");
    const Racks racks = test::two_racks(24);
    for (const JobSpec& job : make_jobs(config, racks, 3)) {
        for (const std::vector<int>& nodes : job.replicas) {
            ASSERT_EQ(nodes.size(), 3U);
            EXPECT_NE(nodes[0] % 2, nodes[1] % 2);
            EXPECT_EQ(nodes[1] % 2, nodes[2] % 2);
            EXPECT_NE(nodes[1], nodes[2]);
        }
    }
}

TEST(Placement, BalancedGivesEveryWorkerAsMuch) {
    const Config config =
        config_of(R"({"hadoop": {"placement": "balanced"}, "jobs": {"workload": "batch"}})");
    std::map<int, int> blocks;
    for (const JobSpec& job : make_jobs(config, test::two_racks(24), 3)) {
        for (const std::vector<int>& nodes : job.replicas) {
            ++blocks[nodes[0]];
        }
    }
    EXPECT_EQ(blocks.size(), 23U);
    for (const auto& [node, count] : blocks) {
        EXPECT_EQ(count, 2) << node;
    }
}

TEST(Stream, HasAThirdOfEachKindAndTheAskedGaps) {
    const Config config = config_of(R"({"jobs": {"workload": "small", "count": 60, "load_percent": 40}})");
    std::map<Kind, int> kinds;
    double demand = 0;
    const std::vector<JobSpec> jobs = make_jobs(config, test::two_racks(24), 9);
    for (const JobSpec& job : jobs) {
        ++kinds[job.kind];
        demand += cpu_demand(config, job);
        EXPECT_EQ(job.maps(), 10);
        EXPECT_EQ(job.reduces, 1);
    }
    EXPECT_EQ(kinds[Kind::TeraSort], 20);
    EXPECT_EQ(kinds[Kind::Search], 20);
    EXPECT_EQ(kinds[Kind::Index], 20);
    EXPECT_EQ(jobs.front().ready, 0);
    const Config fixed =
        config_of(R"({"jobs": {"workload": "small", "count": 60, "load_percent": 40, "arrivals": "fixed"}})");
    const double gap = to_seconds(make_jobs(fixed, test::two_racks(24), 9)[1].ready);
    EXPECT_NEAR(demand / 60 / gap / 46, 0.4, 1e-6);
}

/// Jobs within a window: as many more as there are more workers or more load, and fewer if each needs more.
TEST(Stream, HasTheJobsOfItsWindow) {
    const auto jobs = [](int hosts, const std::string& more) {
        const Config config = config_of(R"({"jobs": {"window_s": 400, "count": 7)" + more);
        const std::vector<JobSpec> made = make_jobs(config, test::two_racks(hosts), 9);
        EXPECT_EQ(in_effect(config, hosts - 1).count, static_cast<int>(made.size()));
        EXPECT_LT(to_seconds(made.back().ready), 400);
        return static_cast<double>(made.size());
    };
    const double paper = jobs(24, "}}");
    EXPECT_NEAR(paper, 160, 5) << "0.4 of 46 cores for 400 s, by 46 core seconds a job";
    EXPECT_NEAR(jobs(80, "}}") / paper, 79 / 23.0, 0.02);
    EXPECT_NEAR(jobs(24, R"(, "load_percent": 10}})") / paper, 0.25, 0.01);
    EXPECT_NEAR(jobs(24, R"(}, "cluster": {"core_hz": 1.25e9}})") / paper, 0.5, 0.01);
    EXPECT_EQ(jobs(24, R"(, "load_percent": 0.01}})"), 1);
    EXPECT_LT(jobs(24, R"(, "workload": "terasort"}})"), paper) << "TeraSort needs more than the mix";
    EXPECT_EQ(
        make_jobs(config_of(R"({"jobs": {"workload": "batch", "window_s": 400}})"), test::two_racks(24), 9)
            .size(),
        1U);
}

}  // namespace
}  // namespace netsim::mapreduce
