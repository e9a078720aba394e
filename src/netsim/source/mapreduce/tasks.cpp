#include "netsim/mapreduce/tasks.hpp"

#include <algorithm>

#include "netsim/mapreduce/scheduler.hpp"

namespace netsim::mapreduce {
namespace {

// Purposes of random numbers.
constexpr std::uint64_t kMap = 101;
constexpr std::uint64_t kReduce = 102;
constexpr std::uint64_t kFetch = 103;
constexpr std::uint64_t kMerge = 104;
constexpr std::uint64_t kStore = 105;

std::uint64_t number(int i) { return static_cast<std::uint64_t>(i); }

}  // namespace

int Tasks::source_of(const JobSpec& job, int map, int node) const {
    const std::vector<int>& replicas = job.replicas[static_cast<std::size_t>(map)];
    const std::vector<int>& rack = cluster_.racks().of;
    int source = replicas.front();
    for (const int replica : replicas) {
        if (replica == node) {
            return node;
        }
        if (rack[static_cast<std::size_t>(replica)] == rack[static_cast<std::size_t>(node)] &&
            rack[static_cast<std::size_t>(source)] != rack[static_cast<std::size_t>(node)]) {
            source = replica;
        }
    }
    return source;
}

Process Tasks::run_map(JobState& job, int map, int node) {
    const MapConfig& config = cluster_.config().hadoop.map;
    const JobSpec& spec = job.spec;
    Random random = cluster_.random(kMap, number(spec.id), number(map));
    co_await cluster_.message(0, node);
    const Time begun = cluster_.now();
    co_await cluster_.compute(node, config.jvm_cycles, random);

    const int source = source_of(spec, map, node);
    const auto output = static_cast<double>(spec.map_output_bytes);
    const double ratio = output / static_cast<double>(spec.block_bytes);
    // Input is read in pieces whose output fills the spill buffer, each when the one before is on disk.
    const std::uint64_t piece = ratio * static_cast<double>(spec.block_bytes) > config.spill_bytes
                                    ? static_cast<std::uint64_t>(config.spill_bytes / ratio)
                                    : spec.block_bytes;
    int spills = 0;
    for (std::uint64_t done = 0; done < spec.block_bytes; ++spills) {
        const std::uint64_t bytes = std::min(piece, spec.block_bytes - done);
        const auto in = static_cast<double>(bytes);
        co_await cluster_.read(source, in, random);
        co_await cluster_.fetch(node, source, bytes);
        co_await cluster_.compute(node, in * config.cycles_per_byte, random);
        co_await cluster_.compute(node, in * ratio * config.sort_cycles_per_byte, random);
        co_await cluster_.write(node, in * ratio, random);
        done += bytes;
    }
    if (spills > 1) {
        co_await cluster_.read(node, output, random);
        co_await cluster_.write(node, output, random);
    }
    co_await cluster_.compute(node, config.wrap_up_cycles, random);

    ++totals_.maps;
    totals_.map_s += to_seconds(cluster_.now() - begun);
    totals_.input_bytes += spec.block_bytes;
    totals_.input_remote_bytes += source == node ? 0 : spec.block_bytes;
    events_.map_ended(job, map);
}

void Tasks::can_fetch(ReduceTask& task, int map) {
    task.ready.push_back(map);
    start_fetches(task);
}

void Tasks::start_fetches(ReduceTask& task) {
    const ReduceConfig& config = cluster_.config().hadoop.reduce;
    while (task.fetching && task.copiers < config.copiers && !task.ready.empty()) {
        const std::size_t place =
            config.random_order ? static_cast<std::size_t>(task.random_order.below(task.ready.size())) : 0;
        const int map = task.ready[place];
        task.ready.erase(task.ready.begin() + static_cast<std::ptrdiff_t>(place));
        ++task.copiers;
        totals_.most_copiers = std::max(totals_.most_copiers, task.copiers);
        fetch(task, map);
    }
}

Process Tasks::fetch(ReduceTask& task, int map) {
    const ReduceConfig& config = cluster_.config().hadoop.reduce;
    const JobSpec& spec = task.job.spec;
    const int source = task.job.map_node[static_cast<std::size_t>(map)];
    const std::uint64_t bytes = spec.part_bytes(task.index);
    if (config.disk_read) {
        Random random = cluster_.random(kFetch, number(spec.id), number(task.index), number(map));
        co_await cluster_.read(source, static_cast<double>(bytes), random);
    }
    co_await cluster_.fetch(task.node, source, bytes);

    totals_.shuffle_bytes += bytes;
    totals_.shuffle_remote_bytes += source == task.node ? 0 : bytes;
    --task.copiers;
    ++task.fetched;
    task.bytes += bytes;
    task.memory_bytes += static_cast<double>(bytes);
    ++task.memory_segments;
    if (task.fetched == spec.maps()) {
        task.shuffled = cluster_.now();
    }
    if (task.memory_bytes >= config.memory_bytes || task.memory_segments >= config.memory_segments) {
        const double full = task.memory_bytes;
        task.memory_bytes = 0;
        task.memory_segments = 0;
        ++task.merging;
        merge(task, full, number(task.fetched));
    }
    start_fetches(task);
    check_complete(task);
}

Process Tasks::merge(ReduceTask& task, double bytes, std::uint64_t number_of_merge) {
    Random random = cluster_.random(kMerge, number(task.job.spec.id), number(task.index), number_of_merge);
    co_await cluster_.compute(task.node, cluster_.config().hadoop.reduce.merge_cycles, random);
    co_await cluster_.write(task.node, bytes, random);
    --task.merging;
    check_complete(task);
}

void Tasks::check_complete(ReduceTask& task) {
    if (task.fetched == task.job.spec.maps() && task.merging == 0) {
        task.complete.set();
    }
}

Process Tasks::run_reduce(ReduceTask& task) {
    const HadoopConfig& hadoop = cluster_.config().hadoop;
    const ReduceConfig& config = hadoop.reduce;
    const JobSpec& spec = task.job.spec;
    const int node = task.node;
    Random random = cluster_.random(kReduce, number(spec.id), number(task.index));
    co_await cluster_.message(0, node);
    co_await cluster_.compute(node, config.jvm_cycles, random);
    task.begun = cluster_.now();
    task.fetching = true;
    start_fetches(task);
    co_await task.complete;

    const auto bytes = static_cast<double>(task.bytes);
    if (task.memory_segments > 0) {
        co_await cluster_.compute(node, config.merge_cycles, random);
        co_await cluster_.write(node, task.memory_bytes, random);
    }
    co_await cluster_.compute(node, config.sort_cycles, random);
    co_await cluster_.read(node, bytes, random);
    co_await cluster_.compute_reduce(node, bytes * config.cycles_per_byte, random);

    // Output, one block after the other, its copies at once: a pipeline forwards what it receives.
    Random placement = cluster_.random(kStore, number(spec.id), number(task.index));
    const auto draw = [&placement](std::size_t n) { return static_cast<std::size_t>(placement.below(n)); };
    for (std::uint64_t done = 0; done < task.bytes;) {
        const std::uint64_t block = std::min(spec.block_bytes, task.bytes - done);
        const std::vector<int> nodes = replica_nodes(cluster_.racks(), node, hadoop.output_replication, draw);
        Copies copies;
        copies.open = static_cast<int>(nodes.size());
        for (std::size_t copy = 0; copy < nodes.size(); ++copy) {
            const int from = copy == 0 ? node : nodes[copy - 1];
            store(copies, from, nodes[copy], block, cluster_.random(kStore, placement.next()));
        }
        co_await copies.written;
        done += block;
    }

    ++totals_.reduces;
    totals_.shuffle_s += to_seconds(task.shuffled - task.begun);
    totals_.reduce_s += to_seconds(cluster_.now() - task.shuffled);
    totals_.output_bytes += task.bytes;
    events_.reduce_ended(task);
}

Process Tasks::store(Copies& copies, int from, int to, std::uint64_t bytes, Random random) {
    co_await cluster_.fetch(to, from, bytes);
    totals_.output_remote_bytes += from == to ? 0 : bytes;
    co_await cluster_.write(to, static_cast<double>(bytes), random);
    if (--copies.open == 0) {
        copies.written.set();
    }
}

}  // namespace netsim::mapreduce
