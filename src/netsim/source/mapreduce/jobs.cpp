#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "netsim/mapreduce/job.hpp"
#include "netsim/random.hpp"

namespace netsim::mapreduce {
namespace {

// Streams of the seed; tasks have their own (tasks.cpp).
constexpr std::uint64_t kOrderStream = 1;
constexpr std::uint64_t kArrivalStream = 2;
constexpr std::uint64_t kPlacementStream = 3;
/// Most jobs within a window, as of `jobs.count`.
constexpr double kMostJobs = 1e6;

template <class T>
void shuffle(std::vector<T>& items, Random& random) {
    for (std::size_t left = items.size(); left > 1; --left) {
        std::swap(items[left - 1], items[random.below(left)]);
    }
}

/// `count` kinds with the shares of the mix, to the nearest whole number of jobs, in seeded order.
std::vector<Kind> make_kinds(const JobsConfig& jobs, std::uint64_t seed) {
    if (jobs.workload != "small") {
        std::vector<Kind> all(static_cast<std::size_t>(jobs.count), Kind::TeraSort);
        return all;
    }
    const std::array<double, 3> shares{jobs.mix.terasort, jobs.mix.search, jobs.mix.index};
    const double sum = shares[0] + shares[1] + shares[2];
    Random random(seed, kOrderStream);
    // Jobs that do not divide evenly: the kind that lacks most comes next, in seeded order among equals.
    std::array<double, 3> lacking{};
    std::array<double, 3> tie{};
    for (std::size_t kind = 0; kind < 3; ++kind) {
        lacking[kind] = shares[kind] / sum * jobs.count;
        tie[kind] = random.uniform() * 1e-6;
    }
    std::vector<Kind> kinds;
    for (int i = 0; i < jobs.count; ++i) {
        std::size_t most = 0;
        for (std::size_t kind = 1; kind < 3; ++kind) {
            most = lacking[kind] + tie[kind] > lacking[most] + tie[most] ? kind : most;
        }
        lacking[most] -= 1;
        kinds.push_back(static_cast<Kind>(most));
    }
    shuffle(kinds, random);
    return kinds;
}

double ratio_of(const Ratios& ratios, Kind kind) {
    switch (kind) {
        case Kind::TeraSort:
            return ratios.terasort;
        case Kind::Search:
            return ratios.search;
        case Kind::Index:
            return ratios.index;
    }
    return 0;
}

/// Times between jobs whose mean over the stream is exactly `mean`: a Poisson process given its number of
/// jobs. Without that a stream of 20 jobs would miss the asked load by 22 % on average.
std::vector<double> make_gaps(const JobsConfig& jobs, double mean, std::uint64_t seed) {
    std::vector<double> gaps(static_cast<std::size_t>(jobs.count), mean);
    if (jobs.arrivals == Arrivals::Poisson) {
        Random random(seed, kArrivalStream);
        double sum = 0;
        for (double& gap : gaps) {
            gap = random.exponential(1);
            sum += gap;
        }
        for (double& gap : gaps) {
            gap *= mean * jobs.count / sum;
        }
    }
    return gaps;
}

JobSpec spec_of(const JobsConfig& jobs, Kind kind) {
    JobSpec job;
    job.kind = kind;
    job.reduces = jobs.reduces;
    job.block_bytes = static_cast<std::uint64_t>(jobs.block_bytes);
    job.map_output_bytes =
        static_cast<std::uint64_t>(std::floor(jobs.block_bytes * ratio_of(jobs.ratios, kind) + 0.5));
    job.replicas.resize(static_cast<std::size_t>(jobs.maps));
    return job;
}

/// Core seconds that a job of the stream needs on average, by the shares of its mix.
double mean_demand(const Config& config, const JobsConfig& jobs) {
    if (jobs.workload != "small") {
        return cpu_demand(config, spec_of(jobs, Kind::TeraSort));
    }
    const Mix& mix = jobs.mix;
    return (mix.terasort * cpu_demand(config, spec_of(jobs, Kind::TeraSort)) +
            mix.search * cpu_demand(config, spec_of(jobs, Kind::Search)) +
            mix.index * cpu_demand(config, spec_of(jobs, Kind::Index))) /
           (mix.terasort + mix.search + mix.index);
}

/// Merges of a reduce task that gets `segments` parts of `part` bytes: one whenever memory is full, one in
/// the end.
int merges(const ReduceConfig& config, int segments, double part) {
    int count = 0;
    int held = 0;
    for (int i = 0; i < segments; ++i) {
        ++held;
        if (held * part >= config.memory_bytes || held >= config.memory_segments) {
            ++count;
            held = 0;
        }
    }
    return count + (held > 0 ? 1 : 0);
}

double mean_of_noise(double noise) {
    const double sigma = portable::log(noise);
    return portable::exp(sigma * sigma / 2);
}

void place_blocks(std::vector<JobSpec>& jobs, const Config& config, const Racks& racks, std::uint64_t seed) {
    Random random(seed, kPlacementStream);
    const auto draw = [&](std::size_t n) { return static_cast<std::size_t>(random.below(n)); };
    std::vector<int> turn(static_cast<std::size_t>(racks.workers()));
    std::iota(turn.begin(), turn.end(), 1);
    std::size_t next = turn.size();
    for (JobSpec& job : jobs) {
        for (std::vector<int>& replicas : job.replicas) {
            int first = 1 + static_cast<int>(draw(static_cast<std::size_t>(racks.workers())));
            if (config.hadoop.balanced_placement) {
                if (next == turn.size()) {
                    shuffle(turn, random);
                    next = 0;
                }
                first = turn[next++];
            }
            replicas = replica_nodes(racks, first, config.hadoop.replication, draw);
        }
    }
}

}  // namespace

const char* name_of(Kind kind) {
    switch (kind) {
        case Kind::TeraSort:
            return "terasort";
        case Kind::Search:
            return "search";
        case Kind::Index:
            return "index";
    }
    return "";
}

int Racks::count() const { return static_cast<int>(std::set<int>(of.begin(), of.end()).size()); }

double cpu_demand(const Config& config, const JobSpec& job) {
    const HadoopConfig& hadoop = config.hadoop;
    const MapConfig& map = hadoop.map;
    const ReduceConfig& reduce = hadoop.reduce;
    const auto block = static_cast<double>(job.block_bytes);
    const auto output = static_cast<double>(job.map_output_bytes);
    const double per_map =
        map.jvm_cycles + block * map.cycles_per_byte + output * map.sort_cycles_per_byte + map.wrap_up_cycles;
    double cycles = job.maps() * per_map * mean_of_noise(hadoop.noise);
    for (int r = 0; r < job.reduces; ++r) {
        const auto part = static_cast<double>(job.part_bytes(r));
        cycles += (reduce.jvm_cycles + reduce.sort_cycles +
                   merges(reduce, job.maps(), part) * reduce.merge_cycles) *
                  mean_of_noise(hadoop.noise);
        cycles += part * job.maps() * reduce.cycles_per_byte * mean_of_noise(hadoop.noise_reduce);
    }
    return cycles / config.cluster.core_hz;
}

JobsConfig in_effect(const Config& config, int workers) {
    JobsConfig jobs = config.jobs;
    const bool batch = jobs.workload == "batch";
    if (jobs.maps == 0) {
        jobs.maps = batch ? 2 * workers : 10;
    }
    if (jobs.reduces == 0) {
        jobs.reduces = batch ? 2 * workers : 1;
    }
    if (jobs.block_bytes == 0) {
        jobs.block_bytes = (batch ? 128 : 64) * kMiB;
    }
    if (jobs.window_s > 0 && !batch) {
        const double cores = static_cast<double>(workers) * config.cluster.cores;
        const double wanted = jobs.window_s * cores * jobs.load_percent / 100 / mean_demand(config, jobs);
        jobs.count = static_cast<int>(std::floor(std::clamp(wanted, 1.0, kMostJobs) + 0.5));
    }
    return jobs;
}

std::vector<JobSpec> make_jobs(const Config& config, const Racks& racks, std::uint64_t seed) {
    const JobsConfig wanted = in_effect(config, racks.workers());
    std::vector<JobSpec> jobs;
    double demand = 0;
    for (const Kind kind : make_kinds(wanted, seed)) {
        JobSpec job = spec_of(wanted, kind);
        job.id = static_cast<int>(jobs.size());
        demand += cpu_demand(config, job);
        jobs.push_back(std::move(job));
    }
    place_blocks(jobs, config, racks, seed);
    const auto cores = static_cast<double>(racks.workers() * config.cluster.cores);
    const double mean_gap = demand / wanted.count / (cores * wanted.load_percent / 100);
    const std::vector<double> gaps = make_gaps(wanted, mean_gap, seed);
    double ready = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        jobs[i].ready = seconds(ready);
        ready += gaps[i];
    }
    return jobs;
}

}  // namespace netsim::mapreduce
