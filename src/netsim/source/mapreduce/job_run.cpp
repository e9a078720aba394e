#include "netsim/mapreduce/job_run.hpp"

#include <array>
#include <string>

namespace netsim::mapreduce {
namespace {

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

void report_runtimes(Report& report, const std::vector<JobResult>& results) {
    double sum = 0;
    std::array<double, 3> by_kind{};
    std::array<int, 3> count{};
    for (const JobResult& job : results) {
        const double runtime = to_seconds(job.end - job.ready);
        sum += runtime;
        by_kind[static_cast<std::size_t>(job.kind)] += runtime;
        ++count[static_cast<std::size_t>(job.kind)];
    }
    report.add("runtime.mean", share(sum, static_cast<double>(results.size())), "s");
    for (const Kind kind : {Kind::TeraSort, Kind::Search, Kind::Index}) {
        const auto i = static_cast<std::size_t>(kind);
        if (count[i] > 0) {
            report.add(std::string("runtime.mean.") + name_of(kind), by_kind[i] / count[i], "s");
        }
    }
    report.add("jobs", static_cast<double>(results.size()), "1");
}

}  // namespace

JobRun::JobRun(Clock& clock, Transfers& transfers, const Config& config, const Racks& racks,
               std::uint64_t seed)
    : cluster_(clock, transfers, config, racks, seed), tracker_(cluster_, make_jobs(config, racks, seed)) {}

void JobRun::report(Report& report) {
    const std::vector<JobResult>& results = tracker_.results();
    const TaskTotals& tasks = tracker_.task_totals();
    const TrackerTotals& totals = tracker_.totals();
    const double makespan = results.empty() ? 0 : to_seconds(results.back().end);
    report.add("makespan", makespan, "s");
    report_runtimes(report, results);

    const double cores = static_cast<double>(cluster_.racks().workers()) * cluster_.config().cluster.cores;
    double demand = 0;
    for (const JobSpec& job : tracker_.jobs()) {
        demand += cpu_demand(cluster_.config(), job);
    }
    report.add("cpu.load", share(cluster_.cpu_seconds(), cores * makespan), "1");
    if (last_ready() > 0) {
        report.add("cpu.load.arriving", totals.cpu_s_at_last_job / (cores * to_seconds(last_ready())), "1");
    }
    report.add("cpu.demand", demand, "s");

    report.add("map.mean", share(tasks.map_s, tasks.maps), "s");
    report.add("shuffle.mean", share(tasks.shuffle_s, tasks.reduces), "s");
    report.add("reduce.mean", share(tasks.reduce_s, tasks.reduces), "s");
    report.add("maps.local", share(totals.maps_node, tasks.maps), "1");
    report.add("maps.rack", share(totals.maps_rack, tasks.maps), "1");
    const auto bytes = [&](const std::string& name, std::uint64_t all, std::uint64_t remote) {
        report.add(name + ".bytes", static_cast<double>(all), "B");
        report.add(name + ".bytes.remote", static_cast<double>(remote), "B");
    };
    bytes("input", tasks.input_bytes, tasks.input_remote_bytes);
    bytes("shuffle", tasks.shuffle_bytes, tasks.shuffle_remote_bytes);
    bytes("output", tasks.output_bytes, tasks.output_remote_bytes);
}

}  // namespace netsim::mapreduce
