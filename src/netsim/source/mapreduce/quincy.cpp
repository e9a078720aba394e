// The graph, for each waiting map of each job:
//
//   source -> job -> map -> node with a copy of its block       (cost: local)
//                        -> rack with a copy -> its nodes       (cost: rack)
//                        -> any rack         -> its nodes       (cost: cross)
//   node -> sink, capacity: its free slots
//
// The arc from job to map costs minus what waiting costs it, so that flow is worth its while only where
// starting a map costs less than leaving it. The arc from source to job lets through what the job lacks to
// its fair share.
#include <algorithm>
#include <cmath>
#include <set>

#include "netsim/mapreduce/min_cost_flow.hpp"
#include "schedulers.hpp"

namespace netsim::mapreduce {
namespace {

using Amount = MinCostFlow::Amount;

Amount whole(double cost) { return static_cast<Amount>(std::floor(cost * 1e6 + 0.5)); }

/// Node numbers of the graph.
struct Numbers {
    explicit Numbers(const ClusterView& view) : racks(view.racks.count()) {
        for (const JobState* job : view.jobs) {
            first_map.push_back(maps);
            maps += static_cast<int>(job->pending_maps.size());
        }
        hosts = view.racks.hosts();
        jobs = static_cast<int>(view.jobs.size());
    }
    static constexpr int kSource = 0;
    static constexpr int kSink = 1;
    static constexpr int kAnywhere = 2;
    int host(int h) const { return 3 + h; }
    int rack(int r) const { return 3 + hosts + r; }
    int job(int j) const { return 3 + hosts + racks + j; }
    int map(int m) const { return 3 + hosts + racks + jobs + m; }
    int count() const { return map(maps); }

    int racks;
    int hosts = 0;
    int jobs = 0;
    int maps = 0;
    std::vector<int> first_map;  ///< per job
};

}  // namespace

std::optional<MapChoice> QuincyScheduler::pick_map(int node, Time now, const ClusterView& view) {
    if (stale_ || now - planned_at_ >= seconds(config_.replan_s)) {
        plan(now, view);
    }
    std::deque<MapChoice>& here = plan_[static_cast<std::size_t>(node)];
    if (here.empty()) {
        return std::nullopt;
    }
    const MapChoice choice = here.front();
    here.pop_front();
    return choice;
}

void QuincyScheduler::plan(Time now, const ClusterView& view) {
    stale_ = false;
    planned_at_ = now;
    plan_.assign(static_cast<std::size_t>(view.racks.hosts()), {});
    const Numbers number(view);
    if (number.maps == 0) {
        return;
    }
    std::vector<int> demands;
    for (const JobState* job : view.jobs) {
        demands.push_back(job->running_maps + static_cast<int>(job->pending_maps.size()));
    }
    const std::vector<int> shares = fair_shares(demands, view.map_slots);

    MinCostFlow graph(number.count());
    for (int host = 1; host < number.hosts; ++host) {
        const Amount slots = view.free_map_slots[static_cast<std::size_t>(host)];
        if (slots > 0) {
            graph.add_arc(number.rack(view.racks.of[static_cast<std::size_t>(host)]), number.host(host),
                          slots, 0);
            graph.add_arc(number.host(host), Numbers::kSink, slots, 0);
        }
    }
    for (int rack = 0; rack < number.racks; ++rack) {
        graph.add_arc(Numbers::kAnywhere, number.rack(rack), number.maps, 0);
    }
    struct Candidate {
        int arc;
        MapChoice choice;
    };
    std::vector<std::vector<Candidate>> direct(static_cast<std::size_t>(number.hosts));
    std::vector<Candidate> to_rack;
    std::vector<Candidate> to_any;
    for (std::size_t j = 0; j < view.jobs.size(); ++j) {
        JobState& job = *view.jobs[j];
        const int lacks = std::max(shares[j] - job.running_maps, 0);
        graph.add_arc(Numbers::kSource, number.job(static_cast<int>(j)), lacks, 0);
        const Amount wait = whole(config_.wait * to_seconds(now - job.spec.ready));
        int map_node = number.map(number.first_map[j]);
        for (const int map : job.pending_maps) {
            graph.add_arc(number.job(static_cast<int>(j)), map_node, 1, -wait);
            std::set<int> racks;
            for (const int replica : job.spec.replicas[static_cast<std::size_t>(map)]) {
                const int arc = graph.add_arc(map_node, number.host(replica), 1, whole(config_.local));
                direct[static_cast<std::size_t>(replica)].push_back({arc, {&job, map}});
                racks.insert(view.racks.of[static_cast<std::size_t>(replica)]);
            }
            for (const int rack : racks) {
                to_rack.push_back(
                    {graph.add_arc(map_node, number.rack(rack), 1, whole(config_.rack)), {&job, map}});
            }
            to_any.push_back(
                {graph.add_arc(map_node, Numbers::kAnywhere, 1, whole(config_.cross)), {&job, map}});
            ++map_node;
        }
    }
    graph.solve(Numbers::kSource, Numbers::kSink, number.maps, true);

    // Maps on a node with their block are known; the others share what is left of the slots of their rack.
    std::vector<int> left(view.free_map_slots);
    for (int host = 1; host < number.hosts; ++host) {
        for (const Candidate& candidate : direct[static_cast<std::size_t>(host)]) {
            if (graph.flow(candidate.arc) > 0) {
                plan_[static_cast<std::size_t>(host)].push_back(candidate.choice);
                --left[static_cast<std::size_t>(host)];
            }
        }
    }
    const auto place = [&](const Candidate& candidate) {
        if (graph.flow(candidate.arc) == 0) {
            return;
        }
        // Nearest first, then the node with most free slots: which of them is all the same to the flow.
        const auto rank = [&](int host) {
            const Locality here =
                locality(candidate.choice.job->spec, candidate.choice.map, host, view.racks);
            return std::pair{here, -left[static_cast<std::size_t>(host)]};
        };
        int best = 0;
        for (int host = 1; host < number.hosts; ++host) {
            if (left[static_cast<std::size_t>(host)] > 0 && (best == 0 || rank(host) < rank(best))) {
                best = host;
            }
        }
        if (best != 0) {
            plan_[static_cast<std::size_t>(best)].push_back(candidate.choice);
            --left[static_cast<std::size_t>(best)];
        }
    };
    std::for_each(to_rack.begin(), to_rack.end(), place);  // before others take slots of their rack
    std::for_each(to_any.begin(), to_any.end(), place);
}

}  // namespace netsim::mapreduce
