/// ns3-shuffle CONFIG.json --report REPORT.json: the all-to-all shuffle of `netsim shuffle` over ns-3's TCP.

#include <ns3/simulator.h>

#include <cstring>
#include <deque>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "netsim/fields.hpp"
#include "run.hpp"

namespace {

using referee::Network;
using referee::Transfers;

/// Fetches of one reducer: all other workers in turn, so many at once.
class Reducer {
  public:
    Reducer(Transfers& transfers, std::size_t host, std::deque<std::size_t> sources, std::uint64_t bytes,
            std::size_t& left)
        : transfers_(transfers), host_(host), sources_(std::move(sources)), bytes_(bytes), left_(left) {
        left_ += sources_.size();
    }

    void start(std::int64_t copiers) {
        for (std::int64_t i = 0; i < copiers; ++i) {
            next();
        }
    }

  private:
    void next() {
        if (sources_.empty()) {
            return;
        }
        const std::size_t from = sources_.front();
        sources_.pop_front();
        transfers_.fetch(host_, from, bytes_, [this] {
            if (--left_ == 0) {
                ns3::Simulator::Stop();
            }
            next();
        });
    }

    Transfers& transfers_;
    std::size_t host_;
    std::deque<std::size_t> sources_;
    std::uint64_t bytes_;
    std::size_t& left_;
};

void run(const std::string& config_path, const std::string& report_path) {
    const double cpu_before = referee::cpu_seconds();
    const nlohmann::json document = netsim::read_json(config_path);
    const netsim::Config config = referee::read_config(document, {"shuffle"});
    const nlohmann::json shuffle = document.value("shuffle", nlohmann::json::object());
    netsim::Fields fields(shuffle, "shuffle");
    const double megabytes = fields.number("mb_per_core", netsim::Range::above(0), 128);
    const std::int64_t per_worker = fields.integer("reducers_per_worker", netsim::Range::between(1, 64), 2);
    const std::int64_t copiers = fields.integer("copiers", netsim::Range::between(1, 1000), 5);
    fields.finish();
    referee::begin(config);
    const Network network(config);
    Transfers transfers(network.hosts(), network.addresses(), config.tcp);
    std::size_t left = 0;
    const std::size_t hosts = network.hosts().size();
    const auto bytes = static_cast<std::uint64_t>(megabytes * 1e6 / static_cast<double>(hosts - 1));
    std::deque<Reducer> reducers;
    for (std::size_t host = 1; host < hosts; ++host) {
        for (std::int64_t i = 0; i < per_worker; ++i) {
            std::deque<std::size_t> sources;
            for (std::size_t k = 1; k < hosts; ++k) {
                if (k != host) {
                    sources.push_back(k);
                }
            }
            reducers.emplace_back(transfers, host, sources, bytes, left);
        }
    }
    ns3::Simulator::Schedule(ns3::Seconds(0), [&] {
        for (Reducer& reducer : reducers) {
            reducer.start(copiers);
        }
    });
    ns3::Simulator::Run();
    if (left != 0) {
        throw std::runtime_error(std::to_string(left) + " fetches never ended");
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
