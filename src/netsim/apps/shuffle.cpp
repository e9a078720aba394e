#include "netsim/shuffle.hpp"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "commands.hpp"
#include "netsim/error.hpp"
#include "netsim/trace.hpp"

namespace netsim::app {
namespace {

struct ShuffleOptions {
    std::string config;
    std::string report;
    std::string trace;
};

void run(const ShuffleOptions& options) {
    const nlohmann::json document = read_json(options.config);
    const Config config = read_config(document, {"shuffle", "cluster", "hadoop", "jobs"});
    const ShuffleConfig shuffle_config = read_shuffle(document);
    const Usage usage;
    Fabric fabric(config);
    Shuffle shuffle(shuffle_config, fabric);
    std::unique_ptr<Trace> trace;
    if (!options.trace.empty()) {
        trace = std::make_unique<Trace>(fabric, options.trace);
    }
    shuffle.start();
    fabric.run();
    Report report;
    report.add("makespan", to_seconds(shuffle.end()), "s");
    report.add("events", static_cast<double>(fabric.clock().events()), "1");
    fabric.report(report, shuffle.end());
    usage.report(report, fabric.network().hops());
    if (trace) {
        trace->close();
    }
    if (options.report.empty()) {
        print(report);
    } else {
        report.write(options.report);
    }
}

}  // namespace

void add_shuffle(CLI::App& app) {
    CLI::App* shuffle = app.add_subcommand("shuffle", "One all-to-all shuffle, without jobs around it");
    auto options = std::make_shared<ShuffleOptions>();
    shuffle->add_option("CONFIG", options->config, "Configuration, JSON")->required();
    shuffle->add_option("--report", options->report, "Write a JSON report to this file instead of a summary");
    shuffle->add_option("--trace", options->trace, "Write traces of ports and transfers to this folder");
    shuffle->callback([options] { run(*options); });
}

}  // namespace netsim::app
