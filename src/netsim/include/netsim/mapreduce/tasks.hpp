#pragma once
/// Execution of map and reduce tasks on their nodes.

#include <cstdint>

#include "netsim/mapreduce/cluster.hpp"
#include "netsim/mapreduce/job_state.hpp"

namespace netsim::mapreduce {

/// Sums over the tasks of a run.
struct TaskTotals {
    int maps = 0;
    int reduces = 0;
    double map_s = 0;      ///< from the start of the JVM to the end
    double shuffle_s = 0;  ///< from the first possible fetch to the last one's end
    double reduce_s = 0;   ///< from there to the end
    std::uint64_t input_bytes = 0;
    std::uint64_t shuffle_bytes = 0;
    std::uint64_t output_bytes = 0;
    // Those of them that crossed the network (output: to further copies).
    std::uint64_t input_remote_bytes = 0;
    std::uint64_t shuffle_remote_bytes = 0;
    std::uint64_t output_remote_bytes = 0;
    int most_copiers = 0;  ///< of one reduce at once
};

/// Listener for tasks that end on a node, called at that moment.
struct TaskEvents {
    virtual void map_ended(JobState& job, int map) = 0;
    virtual void reduce_ended(ReduceTask& task) = 0;

  protected:
    ~TaskEvents() = default;
};

class Tasks {
  public:
    Tasks(Cluster& cluster, TaskEvents& events) : cluster_(cluster), events_(events) {}
    Processes& processes() { return cluster_.processes(); }
    const TaskTotals& totals() const { return totals_; }

    /// Runs map `map` of a job on `node`, from the tracker's message on.
    Process run_map(JobState& job, int map, int node);
    Process run_reduce(ReduceTask& task);
    /// Tells a reduce that it can fetch the output of a map.
    void can_fetch(ReduceTask& task, int map);

  private:
    struct Copies {
        int open = 0;
        Signal written;
    };
    void start_fetches(ReduceTask& task);
    void check_complete(ReduceTask& task);
    Process fetch(ReduceTask& task, int map);
    Process merge(ReduceTask& task, double bytes, std::uint64_t number);
    Process store(Copies& copies, int from, int to, std::uint64_t bytes, Random random);
    int source_of(const JobSpec& job, int map, int node) const;

    Cluster& cluster_;
    TaskEvents& events_;
    TaskTotals totals_;
};

}  // namespace netsim::mapreduce
