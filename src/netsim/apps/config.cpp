#include "netsim/config.hpp"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "netsim/mapreduce/job.hpp"
#include "netsim/mapreduce/run.hpp"

namespace netsim::app {
namespace {

/// Returns the configuration of a file with every value of the job layer that is in effect.
nlohmann::json in_effect(const std::string& path) {
    nlohmann::json document = read_json(path);
    std::vector<std::string> others = mapreduce::sections();
    others.emplace_back("shuffle");
    const int hosts = read_config(document, others).topology.nodes;
    mapreduce::Config config = mapreduce::read_config(document);
    config.jobs = mapreduce::in_effect(config, hosts - 1);
    document.update(nlohmann::json(mapreduce::to_json(config)));
    return document;
}

}  // namespace

void add_config(CLI::App& app) {
    CLI::App* command = app.add_subcommand(
        "config", "Check configurations of run and print them with every default of their jobs, one a line");
    auto paths = std::make_shared<std::vector<std::string>>();
    command->add_option("CONFIG", *paths, "Configurations, JSON")->required();
    command->callback([paths] {
        for (const std::string& path : *paths) {
            (void)std::printf("%s\n", in_effect(path).dump().c_str());
        }
    });
}

}  // namespace netsim::app
