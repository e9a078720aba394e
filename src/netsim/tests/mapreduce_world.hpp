#pragma once
/// An event loop and an ideal network for tests of the job layer.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "netsim/mapreduce/job_run.hpp"

namespace netsim::mapreduce::test {

/// A clock that calls in order of time, then of asking.
class Loop final : public Clock {
  public:
    Time now() const override { return now_; }
    void at(Time when, Handler& to, std::uint64_t argument) override {
        past_ = past_ || when < now_;
        calls_.emplace(std::pair{when, order_++}, std::pair{&to, argument});
    }
    /// Until there is nothing to call, or `stop` is true.
    void run(const std::function<bool()>& stop = [] { return false; }) {
        while (!calls_.empty() && !stop()) {
            const auto first = calls_.begin();
            const auto [key, call] = *first;
            calls_.erase(first);
            now_ = key.first;
            call.first->on_event(now_, call.second);
        }
    }
    /// Whether anything was asked for in the past.
    bool past() const { return past_; }

  private:
    std::map<std::pair<Time, std::uint64_t>, std::pair<Handler*, std::uint64_t>> calls_;
    Time now_ = 0;
    std::uint64_t order_ = 0;
    bool past_ = false;
};

/// Every transfer has the same latency and rate, whatever else is under way. Counts what it carries.
class IdealNetwork final : public Transfers, public Handler {
  public:
    explicit IdealNetwork(Loop& loop, Time latency = 300 * kMicrosecond, double bytes_per_s = 125e6)
        : loop_(loop), latency_(latency), bytes_per_s_(bytes_per_s) {}
    void fetch(Time now, int client, int server, std::uint64_t bytes, TransferDone& to,
               std::uint64_t tag) override {
        carried[{server, client}] += bytes;
        ++transfers;
        total += bytes;
        most_to_client[client] = std::max(most_to_client[client], ++open_[client]);
        pending_.push_back({&to, tag, client});
        loop_.at(now + latency_ + seconds(static_cast<double>(bytes) / bytes_per_s_), *this,
                 pending_.size() - 1);
    }
    void on_event(Time now, std::uint64_t number) override {
        const Pending& done = pending_[number];
        --open_[done.client];
        done.to->on_transfer(now, done.tag);
    }

    std::map<std::pair<int, int>, std::uint64_t> carried;  ///< by server and client
    std::map<int, int> most_to_client;                     ///< at once
    std::uint64_t total = 0;
    int transfers = 0;

  private:
    struct Pending {
        TransferDone* to;
        std::uint64_t tag;
        int client;
    };
    Loop& loop_;
    Time latency_;
    double bytes_per_s_;
    std::vector<Pending> pending_;
    std::map<int, int> open_;
};

/// Hosts in two racks as in the paper: host i is in rack i % 2.
inline Racks two_racks(int hosts) {
    Racks racks;
    for (int host = 0; host < hosts; ++host) {
        racks.of.push_back(host % 2);
    }
    return racks;
}

inline Config config_of(const std::string& text) { return read_config(nlohmann::json::parse(text)); }

/// A run to the end on an ideal network.
struct World {
    World(const std::string& config_text, int hosts, std::uint64_t seed = 1)
        : config(config_of(config_text)), network(loop), run(loop, network, config, two_racks(hosts), seed) {
        run.start([this](Time at) {
            ++ends;
            end = at;
        });
        loop.run([this] { return ends > 0; });
        run.report(report);
    }
    Config config;
    Loop loop;
    IdealNetwork network;
    JobRun run;
    Report report;
    int ends = 0;
    Time end = -1;
};

}  // namespace netsim::mapreduce::test
