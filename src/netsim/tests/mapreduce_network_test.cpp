// Jobs on the packet-level network.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "netsim/error.hpp"
#include "netsim/mapreduce/run.hpp"

namespace netsim::mapreduce {
namespace {

using Json = nlohmann::json;

Json document_of(const std::string& jobs) {
    return Json::parse(R"({"seed": 3,
        "topology": {"kind": "two-rack", "nodes": 12, "edge": "1g", "core": "10g"},
        "latency": {"edge_us": 1, "core_us": 1, "added_us": 0}, "buffer_bytes": 131072,
        "queue": {"kind": "drop-tail"},
        "eee": {"sleep_abort": false, "symmetric_lpi": false, "lpi_power": 0.1, "watts": {"1g": 0.5, "10g": 2.5},
                "edge": {"policy": "standard"}, "core": {"policy": "coalesce", "hold_us": 120, "trigger": 100}},
        "tcp": {"flavour": "newreno", "sack": true, "window_bytes": 65536, "mss": 1460, "initial_window": 10,
                "delayed_ack": 2, "delayed_ack_ms": 40, "rto_min_ms": 200, "rto_initial_ms": 1000,
                "reuse_connections": false, "syn_loss": true, "jitter_us": 10},
        "jobs": )" + jobs +
                       "}");
}

struct Ran {
    explicit Ran(const Json& document)
        : config(read_config(document)), fabric(netsim::read_config(document, sections())) {
        result = run_jobs(fabric, config, report);
    }
    Config config;
    Fabric fabric;
    Report report;
    RunResult result;
};

TEST(NetworkRun, WorkloadsEndAndTheirBytesArrive) {
    for (const char* workload : {"small", "terasort", "batch"}) {
        SCOPED_TRACE(workload);
        const Ran run(
            document_of(std::string(R"({"count": 3, "block_bytes": 2e6, "workload": ")") + workload + "\"}"));
        const double remote = run.report.value("input.bytes.remote") +
                              run.report.value("shuffle.bytes.remote") +
                              run.report.value("output.bytes.remote");
        EXPECT_GE(run.report.value("bytes.sent"), remote);  // and control
        EXPECT_LE(run.report.value("bytes.sent"), remote + 300 * run.report.value("transfers"));
        EXPECT_GT(run.report.value("energy.total"), 0);
        EXPECT_DOUBLE_EQ(run.report.value("makespan"), to_seconds(run.result.end));
        EXPECT_EQ(static_cast<double>(run.result.jobs.size()), run.report.value("jobs"));
        for (const Metric& metric : run.report.metrics()) {
            EXPECT_TRUE(std::isfinite(metric.value)) << metric.name;
        }
    }
}

TEST(NetworkRun, IsTheSameEveryTime) {
    const Json document = document_of(R"({"workload": "small", "count": 3, "block_bytes": 2e6})");
    const Ran a(document);
    const Ran b(document);
    EXPECT_EQ(a.report.json(), b.report.json());
    Json other = document;
    other["seed"] = 4;
    EXPECT_NE(Ran(other).report.json(), a.report.json());
}

TEST(NetworkRun, ReplicationSendsOutputTwice) {
    Json document = document_of(R"({"workload": "terasort", "count": 1, "block_bytes": 2e6})");
    document["hadoop"] = {{"output_replication", 3}};
    const Ran run(document);
    EXPECT_DOUBLE_EQ(run.report.value("output.bytes.remote"), 2 * run.report.value("output.bytes"));
    EXPECT_GE(run.report.value("bytes.sent"), run.report.value("output.bytes.remote"));
}

TEST(NetworkRun, RunsOnAFatTree) {
    Json document = document_of(R"({"workload": "batch", "block_bytes": 1e6})");
    document["topology"] = {{"kind", "fat-tree"}, {"k", 4}, {"edge", "1g"}, {"core", "10g"}};
    const Ran run(document);
    EXPECT_EQ(run.report.value("jobs"), 1);
    EXPECT_DOUBLE_EQ(run.report.value("shuffle.bytes"), 30 * 1e6);  // 15 workers
}

TEST(NetworkRun, FailsWithAMessageWhenJobsDoNotEnd) {
    const Json document = document_of(R"({"workload": "terasort", "count": 2, "limit_s": 5})");
    try {
        const Ran run(document);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("jobs.limit_s: "), std::string::npos) << error.what();
    }
}

TEST(NetworkRun, RunsTheExamples) {
    const double mebibyte = 1024.0 * 1024.0;
    const std::map<std::string, double> input{
        {"small", 6 * 640 * mebibyte}, {"batch", 46 * 32 * mebibyte}, {"terasort", 3 * 640 * mebibyte}};
    for (const auto& [name, bytes] : input) {
        const Ran run(read_json(std::string(NETSIM_TEST_DATA "/../../examples/") + name + ".json"));
        EXPECT_DOUBLE_EQ(run.report.value("input.bytes"), bytes) << name;
    }
}

TEST(NetworkRun, ListsItsJobs) {
    const Ran run(document_of(R"({"workload": "small", "count": 3, "block_bytes": 1e6})"));
    const std::string text = jobs_csv(run.result);
    EXPECT_EQ(text.substr(0, text.find('\n')), "job,kind,ready_s,end_s");
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
}

}  // namespace
}  // namespace netsim::mapreduce
