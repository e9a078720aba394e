#include "schedulers.hpp"

#include <algorithm>

namespace netsim::mapreduce {
namespace {

/// The pending map of a job whose block is nearest to the node; the first of these.
std::optional<MapChoice> nearest_map(JobState& job, int node, const Racks& racks) {
    std::optional<MapChoice> best;
    Locality best_locality = Locality::Cross;
    for (const int map : job.pending_maps) {
        const Locality here = locality(job.spec, map, node, racks);
        if (!best || here < best_locality) {
            best = MapChoice{&job, map};
            best_locality = here;
        }
        if (best_locality == Locality::Node) {
            break;
        }
    }
    return best;
}

}  // namespace

Locality locality(const JobSpec& job, int map, int node, const Racks& racks) {
    Locality best = Locality::Cross;
    for (const int replica : job.replicas[static_cast<std::size_t>(map)]) {
        if (replica == node) {
            return Locality::Node;
        }
        if (racks.of[static_cast<std::size_t>(replica)] == racks.of[static_cast<std::size_t>(node)]) {
            best = Locality::Rack;
        }
    }
    return best;
}

std::vector<int> fair_shares(const std::vector<int>& demands, int slots) {
    std::vector<int> shares(demands.size(), 0);
    int left = slots;
    while (left > 0) {
        int hungry = 0;
        for (std::size_t i = 0; i < demands.size(); ++i) {
            hungry += shares[i] < demands[i] ? 1 : 0;
        }
        if (hungry == 0) {
            break;
        }
        const int each = std::max(left / hungry, 1);
        for (std::size_t i = 0; i < demands.size() && left > 0; ++i) {
            const int more = std::min({each, demands[i] - shares[i], left});
            shares[i] += more;
            left -= more;
        }
    }
    return shares;
}

std::optional<MapChoice> FifoScheduler::pick_map(int node, Time /*now*/, const ClusterView& view) {
    for (JobState* job : view.jobs) {
        if (!job->pending_maps.empty()) {
            return nearest_map(*job, node, view.racks);
        }
    }
    return std::nullopt;
}

JobState* FifoScheduler::pick_reduce(double slowstart, const ClusterView& view) {
    for (JobState* job : view.jobs) {
        if (job->pending_reduces() > 0 && job->reduces_may_start(slowstart)) {
            return job;
        }
    }
    return nullptr;
}

std::optional<MapChoice> FairScheduler::pick_map(int node, Time /*now*/, const ClusterView& view) {
    JobState* poorest = nullptr;
    for (JobState* job : view.jobs) {
        if (!job->pending_maps.empty() && (poorest == nullptr || job->running_maps < poorest->running_maps)) {
            poorest = job;
        }
    }
    return poorest == nullptr ? std::nullopt : nearest_map(*poorest, node, view.racks);
}

JobState* FairScheduler::pick_reduce(double slowstart, const ClusterView& view) {
    JobState* poorest = nullptr;
    for (JobState* job : view.jobs) {
        if (job->pending_reduces() > 0 && job->reduces_may_start(slowstart) &&
            (poorest == nullptr || job->running_reduces < poorest->running_reduces)) {
            poorest = job;
        }
    }
    return poorest;
}

std::unique_ptr<Scheduler> make_scheduler(const HadoopConfig& config) {
    switch (config.scheduler) {
        case Policy::Quincy:
            return std::make_unique<QuincyScheduler>(config.quincy);
        case Policy::Fair:
            return std::make_unique<FairScheduler>();
        case Policy::Fifo:
            break;
    }
    return std::make_unique<FifoScheduler>();
}

}  // namespace netsim::mapreduce
