#include "netsim/mapreduce/run.hpp"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "netsim/trace.hpp"

namespace netsim::app {
namespace {

struct RunOptions {
    std::string config;
    std::string report;
    std::string trace;
};

void run(const RunOptions& options) {
    const nlohmann::json document = read_json(options.config);
    std::vector<std::string> others = mapreduce::sections();
    others.emplace_back("shuffle");
    const Config config = read_config(document, others);
    const mapreduce::Config jobs = mapreduce::read_config(document);
    const Usage usage;
    Fabric fabric(config);
    std::unique_ptr<Trace> trace;
    if (!options.trace.empty()) {
        trace = std::make_unique<Trace>(fabric, options.trace);
    }
    Report report;
    const mapreduce::RunResult result = mapreduce::run_jobs(fabric, jobs, report);
    usage.report(report, fabric.network().hops());
    if (trace) {
        trace->close();
        write_file(options.trace + "/jobs.csv", mapreduce::jobs_csv(result));
    }
    if (options.report.empty()) {
        print(report);
    } else {
        report.write(options.report);
    }
}

}  // namespace

void add_run(CLI::App& app) {
    CLI::App* command = app.add_subcommand("run", "MapReduce jobs on a cluster");
    auto options = std::make_shared<RunOptions>();
    command->add_option("CONFIG", options->config, "Configuration, JSON")->required();
    command->add_option("--report", options->report, "Write a JSON report to this file instead of a summary");
    command->add_option("--trace", options->trace,
                        "Write traces of ports, transfers and jobs to this folder");
    command->callback([options] { run(*options); });
}

}  // namespace netsim::app
