#pragma once
/// Devices of the hosts and the steps of tasks on them.

#include <cstdint>
#include <deque>

#include "netsim/mapreduce/config.hpp"
#include "netsim/mapreduce/job.hpp"
#include "netsim/mapreduce/process.hpp"
#include "netsim/mapreduce/shared_server.hpp"
#include "netsim/random.hpp"

namespace netsim::mapreduce {

/// CPU and disk of every host, the network between them, and the processes that use them.
class Cluster {
  public:
    Cluster(Clock& clock, Transfers& transfers, const Config& config, Racks racks, std::uint64_t seed);

    Time now() const { return clock_.now(); }
    const Config& config() const { return config_; }
    const Racks& racks() const { return racks_; }
    Processes& processes() { return processes_; }
    Waiting& waiting() { return waiting_; }
    SharedServer& cpu(int host) { return hosts_[static_cast<std::size_t>(host)].cpu; }
    SharedServer& disk(int host) { return hosts_[static_cast<std::size_t>(host)].disk; }

    /// Returns a generator for one of the run's many independent purposes. A task has its own, so that its
    /// noise is the same whatever else happens: two runs that differ in the network only differ by what the
    /// network does.
    Random random(std::uint64_t purpose, std::uint64_t first = 0, std::uint64_t second = 0,
                  std::uint64_t third = 0) const;

    /// Awaitable: a computation on one core.
    auto compute(int host, double cycles, Random& random) {
        return cpu(host).serve(noisy(cycles / config_.cluster.core_hz, config_.hadoop.noise, random));
    }
    /// The same with the noise of a reduce function.
    auto compute_reduce(int host, double cycles, Random& random) {
        return cpu(host).serve(noisy(cycles / config_.cluster.core_hz, config_.hadoop.noise_reduce, random));
    }
    auto read(int host, double bytes, Random& random) {
        return disk(host).serve(noisy(bytes / config_.cluster.disk_read, config_.hadoop.noise, random));
    }
    auto write(int host, double bytes, Random& random) {
        return disk(host).serve(noisy(bytes / config_.cluster.disk_write, config_.hadoop.noise, random));
    }
    /// Awaitable: `client` has `bytes` from `server`.
    auto fetch(int client, int server, std::uint64_t bytes) { return waiting_.fetch(client, server, bytes); }
    /// Awaitable: `to` has a control message of `from`. The receiver opens the connection, so that the wait
    /// ends when it has the message.
    auto message(int from, int to) {
        const int bytes = config_.hadoop.control_bytes;
        return waiting_.fetch(to, bytes > 0 ? from : to, static_cast<std::uint64_t>(bytes));
    }

    /// Returns the core seconds that the workers have computed so far.
    double cpu_seconds();

  private:
    struct Host {
        Host(Clock& clock, int cores) : cpu(clock, cores), disk(clock, 1) {}
        SharedServer cpu;
        SharedServer disk;
    };
    static Time noisy(double mean_seconds, double noise, Random& random);

    Clock& clock_;
    const Config& config_;
    Racks racks_;
    std::uint64_t seed_;
    Waiting waiting_;
    std::deque<Host> hosts_;
    Processes processes_;  // last: what still waits is destroyed first
};

}  // namespace netsim::mapreduce
