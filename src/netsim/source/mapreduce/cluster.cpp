#include "netsim/mapreduce/cluster.hpp"

namespace netsim::mapreduce {

Cluster::Cluster(Clock& clock, Transfers& transfers, const Config& config, Racks racks, std::uint64_t seed)
    : clock_(clock), config_(config), racks_(std::move(racks)), seed_(seed), waiting_(clock, transfers) {
    for (int host = 0; host < racks_.hosts(); ++host) {
        hosts_.emplace_back(clock, config.cluster.cores);
    }
}

Random Cluster::random(std::uint64_t purpose, std::uint64_t first, std::uint64_t second,
                       std::uint64_t third) const {
    const std::uint64_t stream =
        Random::mix(Random::mix(Random::mix(Random::mix(purpose) + first) + second) + third);
    return Random(seed_, stream);
}

Time Cluster::noisy(double mean_seconds, double noise, Random& random) {
    const double factor = noise > 1 ? random.lognormal(0, portable::log(noise)) : 1;
    return seconds(mean_seconds * factor);
}

double Cluster::cpu_seconds() {
    double sum = 0;
    for (Host& host : hosts_) {
        sum += to_seconds(host.cpu.busy(now()));
    }
    return sum;
}

}  // namespace netsim::mapreduce
