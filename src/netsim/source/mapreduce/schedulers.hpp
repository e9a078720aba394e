#pragma once
/// Scheduling policies.

#include <deque>

#include "netsim/mapreduce/scheduler.hpp"

namespace netsim::mapreduce {

/// The oldest job first. Within the job that is chosen, the map whose block is nearest.
class FifoScheduler : public Scheduler {
  public:
    std::optional<MapChoice> pick_map(int node, Time now, const ClusterView& view) override;
    JobState* pick_reduce(double slowstart, const ClusterView& view) override;
};

/// The job with the fewest running tasks of the kind first; otherwise as fifo.
class FairScheduler : public Scheduler {
  public:
    std::optional<MapChoice> pick_map(int node, Time now, const ClusterView& view) override;
    JobState* pick_reduce(double slowstart, const ClusterView& view) override;
};

/// Maps by minimum cost flow after Isard et al. (SOSP 2009), without preemption: running tasks stay where
/// they are. A job gets no more than its fair share of the slots; a task waits as long as that is cheaper
/// than to read from afar. Reduces have no preferred node and are started as by the fair policy.
class QuincyScheduler final : public FairScheduler {
  public:
    explicit QuincyScheduler(const QuincyConfig& config) : config_(config) {}
    std::optional<MapChoice> pick_map(int node, Time now, const ClusterView& view) override;
    void changed() override { stale_ = true; }

  private:
    void plan(Time now, const ClusterView& view);

    QuincyConfig config_;
    std::vector<std::deque<MapChoice>> plan_;  ///< per host
    Time planned_at_ = 0;
    bool stale_ = true;
};

}  // namespace netsim::mapreduce
