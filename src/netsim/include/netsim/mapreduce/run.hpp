#pragma once
/// Jobs on the packet-level network: command `netsim run`.

#include <string>
#include <vector>

#include "netsim/fabric.hpp"
#include "netsim/mapreduce/config.hpp"
#include "netsim/mapreduce/job_run.hpp"
#include "netsim/report.hpp"

namespace netsim::mapreduce {

/// Names of the sections that read_config parses and the core's parser accepts.
const std::vector<std::string>& sections();

/// Result of a run of jobs besides its metrics.
struct RunResult {
    Time end = 0;  ///< of the last job, from the begin; the network's account ends here
    std::vector<JobResult> jobs;
};

/// Runs the jobs on the fabric until the last one has ended, and adds the metrics of the jobs
/// (JobRun::report) and of the network (Fabric::report). The fabric must be new; its seed is that of the
/// jobs. Throws Error if the jobs do not end within `jobs.limit_s` of the last one's arrival.
RunResult run_jobs(Fabric& fabric, const Config& config, Report& report);

/// Returns the jobs as lines job,kind,ready_s,end_s with a heading, in the order in which they became ready.
std::string jobs_csv(const RunResult& result);

}  // namespace netsim::mapreduce
