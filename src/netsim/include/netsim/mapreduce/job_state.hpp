#pragma once
/// State of a running job as the job tracker knows it.

#include <memory>
#include <vector>

#include "netsim/mapreduce/job.hpp"
#include "netsim/mapreduce/reduce_task.hpp"
#include "netsim/time.hpp"

namespace netsim::mapreduce {

struct JobState {
    explicit JobState(const JobSpec& job) : spec(job), map_node(job.replicas.size(), -1) {
        for (int map = 0; map < job.maps(); ++map) {
            pending_maps.push_back(map);
        }
    }

    const JobSpec& spec;
    std::vector<int> pending_maps;  ///< not started, in order
    int running_maps = 0;
    std::vector<int> finished_maps;  ///< in the order in which the tracker heard of them
    std::vector<int> map_node;       ///< where each map runs or ran
    int started_reduces = 0;
    int running_reduces = 0;
    int finished_reduces = 0;
    std::vector<std::unique_ptr<ReduceTask>> reduces;  ///< those started
    Time end = -1;

    int pending_reduces() const { return spec.reduces - started_reduces; }
    /// Returns whether enough maps have ended for reduces to start.
    bool reduces_may_start(double slowstart) const {
        return static_cast<double>(finished_maps.size()) >= slowstart * spec.maps();
    }
};

}  // namespace netsim::mapreduce
