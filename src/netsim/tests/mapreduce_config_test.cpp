// Configurations of the job layer: values that are read, and errors that name their field.
#include <gtest/gtest.h>

#include <string>

#include "mapreduce_world.hpp"
#include "netsim/error.hpp"

namespace netsim::mapreduce {
namespace {

using test::config_of;

std::string error_of(const std::string& text) {
    try {
        (void)config_of(text);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

TEST(MapReduceConfig, HasDefaultsForAll) {
    const Config config = config_of("{}");
    EXPECT_EQ(config.cluster.cores, 2);
    EXPECT_EQ(config.hadoop.reduce.copiers, 5);
    EXPECT_EQ(config.jobs.count, 20);
    EXPECT_EQ(config_of(R"({"jobs": {"workload": "batch", "count": 100}})").jobs.count, 1)
        << "a batch is one job";
}

TEST(MapReduceConfig, ReadsWhatItWrites) {
    const std::string text = R"({"cluster": {"cores": 4, "core_hz": 3e9, "disk_read": 1e8, "disk_write": 2e8},
        "hadoop": {"scheduler": "fair", "placement": "balanced", "report": "heartbeat", "noise": 1.5,
                   "map": {"spill_bytes": 1000}, "reduce": {"fetch_order": "random", "disk_read": false}},
        "jobs": {"workload": "terasort", "arrivals": "fixed", "mix": {"search": 0}, "ratios": {"index": 0.5}}})";
    const std::string once = to_json(config_of(text)).dump();
    EXPECT_EQ(to_json(config_of(once)).dump(), once);
    EXPECT_NE(to_json(config_of("{}")).dump(), once);
    EXPECT_NE(once.find("\"fetch_order\":\"random\""), std::string::npos);
}

TEST(MapReduceConfig, ErrorsBeginWithTheFieldsPath) {
    const std::vector<std::pair<std::string, std::string>> wrong{
        {R"({"jobs": {"count": -1}})", "jobs.count"},
        {R"({"jobs": {"count": 1.5}})", "jobs.count"},
        {R"({"jobs": {"window_s": -1}})", "jobs.window_s"},
        {R"({"jobs": {"workload": "big"}})", "jobs.workload"},
        {R"({"jobs": {"mix": {"terasort": 0, "search": 0, "index": 0}}})", "jobs.mix"},
        {R"({"jobs": {"ratios": {"terasort": "1"}}})", "jobs.ratios.terasort"},
        {R"({"hadoop": {"reduce": {"copiers": 0}}})", "hadoop.reduce.copiers"},
        {R"({"hadoop": {"quincy": {"wait": -1}}})", "hadoop.quincy.wait"},
        {R"({"hadoop": {"map": {"spills": 1}}})", "hadoop.map.spills"},
        {R"({"hadoop": {"heartbeat_s": 0}})", "hadoop.heartbeat_s"},
        {R"({"hadoop": []})", "hadoop"},
        {R"({"cluster": {"cores": 0}})", "cluster.cores"},
        {R"({"cluster": {"core": 2}})", "cluster.core"},
    };
    for (const auto& [text, path] : wrong) {
        const std::string found = error_of(text);
        EXPECT_EQ(found.substr(0, path.size() + 1), path + ":") << text << " gave: " << found;
        EXPECT_EQ(found.find('\n'), std::string::npos);
    }
}

}  // namespace
}  // namespace netsim::mapreduce
