#pragma once
/// Task schedulers.

#include <memory>
#include <optional>
#include <vector>

#include "netsim/mapreduce/config.hpp"
#include "netsim/mapreduce/job_state.hpp"
#include "netsim/time.hpp"

namespace netsim::mapreduce {

/// Data locality of a map.
enum class Locality { Node, Rack, Cross };

/// Returns the locality of block `map` of a job on `node`.
Locality locality(const JobSpec& job, int map, int node, const Racks& racks);

/// Map of a job.
struct MapChoice {
    JobState* job;
    int map;
};

/// State of the cluster that schedulers decide by.
struct ClusterView {
    const Racks& racks;
    const std::vector<JobState*>& jobs;      ///< ready and not ended, in the order in which they became ready
    const std::vector<int>& free_map_slots;  ///< per host
    int map_slots;                           ///< of the whole cluster
};

class Scheduler {
  public:
    virtual ~Scheduler() = default;
    /// Chooses a map for `node`, which has a free slot; none if nothing is to start there now.
    virtual std::optional<MapChoice> pick_map(int node, Time now, const ClusterView& view) = 0;
    /// Chooses the job whose next reduce starts on some node; nullptr if there is none.
    virtual JobState* pick_reduce(double slowstart, const ClusterView& view) = 0;
    /// Notes that a job has arrived or a slot has become free.
    virtual void changed() {}
};

/// Creates the configured scheduler.
std::unique_ptr<Scheduler> make_scheduler(const HadoopConfig& config);

/// Returns the max-min fair shares of `slots` for jobs with these demands; the first jobs get the remainder.
std::vector<int> fair_shares(const std::vector<int>& demands, int slots);

}  // namespace netsim::mapreduce
