#include "netsim/mapreduce/tracker.hpp"

#include <algorithm>

namespace netsim::mapreduce {
namespace {

// Purposes of random numbers.
constexpr std::uint64_t kHeartbeat = 201;
constexpr std::uint64_t kFetchOrder = 202;

}  // namespace

Tracker::Tracker(Cluster& cluster, std::vector<JobSpec> jobs)
    : cluster_(cluster),
      config_(cluster.config().hadoop),
      jobs_(std::move(jobs)),
      tasks_(cluster, *this),
      scheduler_(make_scheduler(config_)),
      free_map_slots_(cluster.racks().of.size(), config_.map_slots),
      free_reduce_slots_(cluster.racks().of.size(), config_.reduce_slots),
      unreported_(cluster.racks().of.size()),
      view_{cluster.racks(), active_, free_map_slots_, config_.map_slots * cluster.racks().workers()} {
    free_map_slots_[0] = 0;  // the tracker's own host runs no tasks
    free_reduce_slots_[0] = 0;
}

void Tracker::start(std::function<void(Time)> finished) {
    finished_ = std::move(finished);
    for (const JobSpec& job : jobs_) {
        submit(job);
    }
    // Nodes do not beat in step: each begins somewhere in the first interval.
    Random random = cluster_.random(kHeartbeat);
    for (int node = 1; node < cluster_.racks().hosts(); ++node) {
        heartbeats(node, random.duration(seconds(config_.heartbeat_s)));
    }
}

Process Tracker::submit(const JobSpec& job) {
    co_await cluster_.waiting().sleep(job.ready - cluster_.now());
    if (&job == &jobs_.back()) {
        totals_.cpu_s_at_last_job = cluster_.cpu_seconds();
    }
    states_.push_back(std::make_unique<JobState>(job));
    active_.push_back(states_.back().get());
    scheduler_->changed();
}

Process Tracker::heartbeats(int node, Time first) {
    const Time interval = seconds(config_.heartbeat_s);
    co_await cluster_.waiting().sleep(first);
    while (!over_) {
        const Time sent = cluster_.now();
        co_await cluster_.message(0, node);  // the node asks, the tracker answers
        on_heartbeat(node);
        co_await cluster_.waiting().sleep(std::max<Time>(sent + interval - cluster_.now(), 0));
    }
}

void Tracker::on_heartbeat(int node) {
    std::vector<Report> reports;
    reports.swap(unreported_[static_cast<std::size_t>(node)]);
    for (const Report& what : reports) {
        hear(what);
    }
    for (int i = 0; i < config_.tasks_per_heartbeat && start_map(node); ++i) {
    }
    for (int i = 0; i < config_.tasks_per_heartbeat && start_reduce(node); ++i) {
    }
    if (config_.report_at_once) {
        return;
    }
    for (JobState* job : active_) {
        for (const std::unique_ptr<ReduceTask>& task : job->reduces) {
            while (task->node == node && task->announced < job->finished_maps.size()) {
                tasks_.can_fetch(*task, job->finished_maps[task->announced++]);
            }
        }
    }
}

bool Tracker::start_map(int node) {
    if (at(free_map_slots_, node) == 0) {
        return false;
    }
    const std::optional<MapChoice> choice = scheduler_->pick_map(node, cluster_.now(), view_);
    if (!choice) {
        return false;
    }
    JobState& job = *choice->job;
    job.pending_maps.erase(std::find(job.pending_maps.begin(), job.pending_maps.end(), choice->map));
    ++job.running_maps;
    job.map_node[static_cast<std::size_t>(choice->map)] = node;
    --at(free_map_slots_, node);
    totals_.most_maps_on_node =
        std::max(totals_.most_maps_on_node, config_.map_slots - at(free_map_slots_, node));
    switch (locality(job.spec, choice->map, node, cluster_.racks())) {
        case Locality::Node:
            ++totals_.maps_node;
            break;
        case Locality::Rack:
            ++totals_.maps_rack;
            break;
        case Locality::Cross:
            ++totals_.maps_cross;
            break;
    }
    tasks_.run_map(job, choice->map, node);
    return true;
}

bool Tracker::start_reduce(int node) {
    if (at(free_reduce_slots_, node) == 0) {
        return false;
    }
    JobState* job = scheduler_->pick_reduce(config_.slowstart, view_);
    if (job == nullptr) {
        return false;
    }
    const int index = job->started_reduces++;
    ++job->running_reduces;
    --at(free_reduce_slots_, node);
    totals_.most_reduces_on_node =
        std::max(totals_.most_reduces_on_node, config_.reduce_slots - at(free_reduce_slots_, node));
    job->reduces.push_back(
        std::make_unique<ReduceTask>(*job, index, node,
                                     cluster_.random(kFetchOrder, static_cast<std::uint64_t>(job->spec.id),
                                                     static_cast<std::uint64_t>(index))));
    ReduceTask& task = *job->reduces.back();
    task.ready = job->finished_maps;  // the message that starts it lists them
    task.announced = task.ready.size();
    tasks_.run_reduce(task);
    return true;
}

void Tracker::map_ended(JobState& job, int map) {
    tell({&job, map, job.map_node[static_cast<std::size_t>(map)]});
}

void Tracker::reduce_ended(ReduceTask& task) { tell({&task.job, -1, task.node}); }

void Tracker::tell(const Report& what) {
    if (config_.report_at_once) {
        report(what);
    } else {
        unreported_[static_cast<std::size_t>(what.node)].push_back(what);
    }
}

Process Tracker::report(Report what) {
    co_await cluster_.message(what.node, 0);
    hear(what);
}

void Tracker::hear(const Report& what) {
    if (what.map >= 0) {
        hear_map(what);
    } else {
        hear_reduce(what);
    }
}

void Tracker::hear_map(const Report& what) {
    JobState& job = *what.job;
    --job.running_maps;
    ++at(free_map_slots_, what.node);
    job.finished_maps.push_back(what.map);
    scheduler_->changed();
    if (config_.report_at_once) {
        for (const std::unique_ptr<ReduceTask>& task : job.reduces) {
            ++task->announced;
            announce(*task, what.map);
        }
    }
}

Process Tracker::announce(ReduceTask& task, int map) {
    co_await cluster_.message(0, task.node);
    tasks_.can_fetch(task, map);
}

void Tracker::hear_reduce(const Report& what) {
    JobState& job = *what.job;
    --job.running_reduces;
    ++at(free_reduce_slots_, what.node);
    if (++job.finished_reduces < job.spec.reduces) {
        return;
    }
    job.end = cluster_.now();
    active_.erase(std::find(active_.begin(), active_.end(), &job));
    results_.push_back({job.spec.id, job.spec.kind, job.spec.ready, job.end});
    if (results_.size() == jobs_.size()) {
        over_ = true;
        finished_(job.end);
    }
}

}  // namespace netsim::mapreduce
