/// ns3-shuffle CONFIG.json --report REPORT.json: the all-to-all shuffle of `netsim shuffle` over ns-3's TCP.

#include "netsim/shuffle.hpp"

#include <ns3/simulator.h>

#include <cstring>
#include <deque>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "netsim/fields.hpp"
#include "netsim/random.hpp"
#include "run.hpp"

namespace {

using referee::Network;
using referee::Transfers;

/// The reducers of a shuffle; each fetches from all other workers, so many at once, in the order that it has
/// in netsim::Shuffle too: the same generator, drawn from in the same order.
class Shuffle {
  public:
    Shuffle(const netsim::ShuffleConfig& shuffle, const netsim::Config& config, Transfers& transfers)
        : transfers_(transfers), copiers_(shuffle.copiers) {
        const int hosts = config.topology.nodes;
        constexpr double mebibyte = 1048576;
        const int reducers = (hosts - 1) * shuffle.reducers_per_worker;
        bytes_ =
            static_cast<std::uint64_t>(shuffle.mb_per_core * mebibyte * shuffle.cores_per_worker / reducers);
        netsim::Random random(config.seed, 2);
        for (int i = 0; i < reducers; ++i) {
            const int host = 1 + i / shuffle.reducers_per_worker;
            std::vector<std::size_t> servers;
            for (int server = 1; server < hosts; ++server) {
                if (server != host) {
                    servers.push_back(static_cast<std::size_t>(server));
                }
            }
            for (std::size_t k = servers.size(); k > 1; --k) {
                std::swap(servers[k - 1], servers[random.below(k)]);
            }
            left_ += servers.size();
            reducers_.push_back({static_cast<std::size_t>(host), std::move(servers), 0});
        }
    }

    void start() {
        for (Reducer& reducer : reducers_) {
            for (int i = 0; i < copiers_; ++i) {
                next(reducer);
            }
        }
    }

    /// Fetches that have not ended.
    std::size_t left() const { return left_; }

  private:
    struct Reducer {
        std::size_t host;
        std::vector<std::size_t> servers;
        std::size_t next;
    };

    void next(Reducer& reducer) {
        if (reducer.next < reducer.servers.size()) {
            transfers_.fetch(reducer.host, reducer.servers[reducer.next++], bytes_, [this, &reducer] {
                if (--left_ == 0) {
                    ns3::Simulator::Stop();
                }
                next(reducer);
            });
        }
    }

    Transfers& transfers_;
    int copiers_;
    std::uint64_t bytes_ = 0;
    std::deque<Reducer> reducers_;
    std::size_t left_ = 0;
};

void run(const std::string& config_path, const std::string& report_path) {
    const double cpu_before = referee::cpu_seconds();
    const nlohmann::json document = netsim::read_json(config_path);
    const netsim::Config config = referee::read_config(document, {"shuffle", "cluster", "hadoop", "jobs"});
    referee::begin(config);
    const Network network(config);
    Transfers transfers(network.hosts(), network.addresses(), config.tcp);
    Shuffle shuffle(netsim::read_shuffle(document), config, transfers);
    ns3::Simulator::Schedule(ns3::Seconds(0), &Shuffle::start, &shuffle);
    ns3::Simulator::Run();
    if (shuffle.left() != 0) {
        throw std::runtime_error(std::to_string(shuffle.left()) + " fetches never ended");
    }
    netsim::Report report;
    referee::add_results(report, config, network, transfers, ns3::Simulator::Now().GetTimeStep(), cpu_before);
    report.write(report_path);
    ns3::Simulator::Destroy();
}

}  // namespace

int main(int count, char** words) {
    if (count != 4 || std::strcmp(words[2], "--report") != 0) {
        std::cerr << "usage: ns3-shuffle CONFIG.json --report REPORT.json\n";
        return 2;
    }
    return referee::guarded("ns3-shuffle", [words] { run(words[1], words[3]); });
}
