#include "netsim/mapreduce/run.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "netsim/error.hpp"

namespace netsim::mapreduce {
namespace {

/// Stops a simulation at a time.
class Limit final : public Handler {
  public:
    explicit Limit(Simulator& simulator) : simulator_(simulator) {}
    void on_event(Time /*now*/, std::uint64_t /*argument*/) override { simulator_.stop(); }

  private:
    Simulator& simulator_;
};

Racks racks_of(const Topology& topology) {
    Racks racks;
    for (int host = 0; host < topology.hosts(); ++host) {
        racks.of.push_back(topology.rack_of(host));
    }
    return racks;
}

}  // namespace

const std::vector<std::string>& sections() {
    static const std::vector<std::string> names{"cluster", "hadoop", "jobs"};
    return names;
}

RunResult run_jobs(Fabric& fabric, const Config& config, Report& report) {
    Simulator& simulator = fabric.clock();
    JobRun run(simulator, fabric, config, racks_of(fabric.network().topology()), fabric.config().seed);
    Limit limit(simulator);
    simulator.at(run.last_ready() + seconds(config.jobs.limit_s), limit, 0);
    RunResult result;
    result.end = -1;
    run.start([&](Time end) {
        result.end = end;
        simulator.stop();
    });
    fabric.run();
    if (result.end < 0) {
        const std::size_t ended = run.tracker().results().size();
        throw Error("jobs.limit_s: " + std::to_string(run.tracker().jobs().size() - ended) + " of " +
                    std::to_string(run.tracker().jobs().size()) + " jobs had not ended after " +
                    std::to_string(to_seconds(simulator.now())) + " simulated seconds");
    }
    run.report(report);
    fabric.report(report, result.end);
    result.jobs = run.tracker().results();
    std::sort(result.jobs.begin(), result.jobs.end(),
              [](const JobResult& a, const JobResult& b) { return a.id < b.id; });
    return result;
}

std::string jobs_csv(const RunResult& result) {
    std::string text = "job,kind,ready_s,end_s\n";
    for (const JobResult& job : result.jobs) {
        std::array<char, 128> line{};
        (void)std::snprintf(line.data(), line.size(), "%d,%s,%.9f,%.9f\n", job.id, name_of(job.kind),
                            to_seconds(job.ready), to_seconds(job.end));
        text += line.data();
    }
    return text;
}

}  // namespace netsim::mapreduce
