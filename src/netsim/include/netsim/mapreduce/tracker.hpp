#pragma once
/// Job tracker: accepts jobs, assigns tasks in reply to heartbeats, receives reports of their ends.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "netsim/mapreduce/cluster.hpp"
#include "netsim/mapreduce/job_state.hpp"
#include "netsim/mapreduce/scheduler.hpp"
#include "netsim/mapreduce/tasks.hpp"

namespace netsim::mapreduce {

/// Outcome of a job.
struct JobResult {
    int id = 0;
    Kind kind = Kind::TeraSort;
    Time ready = 0;
    Time end = 0;
};

/// Counters of the tracker over a run.
struct TrackerTotals {
    int maps_node = 0;  ///< maps started on a node with their block
    int maps_rack = 0;  ///< ... in a rack with it
    int maps_cross = 0;
    int most_maps_on_node = 0;  ///< running at once
    int most_reduces_on_node = 0;
    double cpu_s_at_last_job = 0;  ///< core seconds spent when the last job came
};

class Tracker final : private TaskEvents {
  public:
    /// `jobs` in the order in which they become ready.
    Tracker(Cluster& cluster, std::vector<JobSpec> jobs);
    Processes& processes() { return cluster_.processes(); }

    /// Starts heartbeats and the stream of jobs. `finished` is called once, with the end of the last job.
    void start(std::function<void(Time)> finished);

    const std::vector<JobSpec>& jobs() const { return jobs_; }
    /// Returns the jobs that have ended, in the order of their ends.
    const std::vector<JobResult>& results() const { return results_; }
    const TrackerTotals& totals() const { return totals_; }
    const TaskTotals& task_totals() const { return tasks_.totals(); }

  private:
    struct Report {  ///< the end of a task that the tracker has not heard of
        JobState* job;
        int map;  ///< -1: of a reduce
        int node;
    };
    void map_ended(JobState& job, int map) override;
    void reduce_ended(ReduceTask& task) override;

    Process submit(const JobSpec& job);
    Process heartbeats(int node, Time first);
    Process report(Report what);
    Process announce(ReduceTask& task, int map);
    void tell(const Report& what);
    void hear(const Report& what);
    void hear_map(const Report& what);
    void hear_reduce(const Report& what);
    void on_heartbeat(int node);
    bool start_map(int node);
    bool start_reduce(int node);
    int& at(std::vector<int>& per_host, int node) { return per_host[static_cast<std::size_t>(node)]; }

    Cluster& cluster_;
    const HadoopConfig& config_;
    std::vector<JobSpec> jobs_;
    Tasks tasks_;
    std::unique_ptr<Scheduler> scheduler_;
    std::vector<std::unique_ptr<JobState>> states_;
    std::vector<JobState*> active_;
    std::vector<int> free_map_slots_;
    std::vector<int> free_reduce_slots_;
    std::vector<std::vector<Report>> unreported_;  ///< per host, where ends wait for heartbeats
    std::vector<JobResult> results_;
    TrackerTotals totals_;
    std::function<void(Time)> finished_;
    bool over_ = false;
    ClusterView view_;
};

}  // namespace netsim::mapreduce
