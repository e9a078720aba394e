#pragma once
/// Which task a node with a free slot gets.

#include <memory>
#include <optional>
#include <vector>

#include "netsim/mapreduce/config.hpp"
#include "netsim/mapreduce/job_state.hpp"
#include "netsim/time.hpp"

namespace netsim::mapreduce {

/// How near a map's block is to its node.
enum class Locality { Node, Rack, Cross };

/// Locality of block `map` of a job on `node`.
Locality locality(const JobSpec& job, int map, int node, const Racks& racks);

/// A map of a job.
struct MapChoice {
    JobState* job;
    int map;
};

/// What schedulers look at.
struct ClusterView {
    const Racks& racks;
    const std::vector<JobState*>& jobs;      ///< ready and not ended, in the order in which they became ready
    const std::vector<int>& free_map_slots;  ///< per host
    int map_slots;                           ///< of the whole cluster
};

class Scheduler {
  public:
    virtual ~Scheduler() = default;
    /// A map for `node`, which has a free slot; none if nothing is to start there now.
    virtual std::optional<MapChoice> pick_map(int node, Time now, const ClusterView& view) = 0;
    /// A job whose next reduce starts on some node; nullptr if there is none.
    virtual JobState* pick_reduce(double slowstart, const ClusterView& view) = 0;
    /// A job has come or a slot has become free.
    virtual void changed() {}
};

/// The scheduler that the configuration asks for.
std::unique_ptr<Scheduler> make_scheduler(const HadoopConfig& config);

/// Largest equal shares of `slots` for jobs with these demands: nobody gets more than it demands, what is
/// left is shared by the others; the first jobs get what does not divide.
std::vector<int> fair_shares(const std::vector<int>& demands, int slots);

}  // namespace netsim::mapreduce
