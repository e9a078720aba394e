/// ns3-shuffle CONFIG.json --report REPORT.json: the all-to-all shuffle of `netsim shuffle` over ns-3's TCP.

#include <ns3/simulator.h>

#include <cstring>
#include <deque>
#include <exception>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include "settings.hpp"

namespace {

using referee::Network;
using referee::Settings;
using referee::Transfers;

/// Fetches of one reducer: all other workers in turn, so many at once.
class Reducer {
  public:
    Reducer(Transfers& transfers, std::size_t host, std::deque<std::size_t> sources, std::uint64_t bytes,
            std::size_t& left)
        : transfers_(transfers), host_(host), sources_(std::move(sources)), bytes_(bytes), left_(left) {
        left_ += sources_.size();
    }

    void start(std::uint32_t copiers) {
        for (std::uint32_t i = 0; i < copiers; ++i) {
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

void run(const Settings& settings, const std::string& report_path) {
    const double cpu_before = referee::cpu_seconds();
    ns3::Time::SetResolution(ns3::Time::PS);
    referee::use(settings.tcp);
    Network network(settings.network);
    constexpr std::uint32_t kRequestBytes = 100;
    Transfers transfers(network.hosts(), network.addresses(), settings.tcp, kRequestBytes);
    std::size_t left = 0;
    const std::size_t hosts = settings.network.nodes;
    const auto bytes =
        static_cast<std::uint64_t>(settings.shuffle.mb_per_core * 1e6 / static_cast<double>(hosts - 1));
    std::deque<Reducer> reducers;
    for (std::size_t host = 1; host < hosts; ++host) {
        for (std::uint32_t i = 0; i < settings.shuffle.reducers_per_worker; ++i) {
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
            reducer.start(settings.shuffle.copiers);
        }
    });
    ns3::Simulator::Run();
    const netsim::Time now = ns3::Simulator::Now().GetTimeStep();
    if (left != 0) {
        throw std::runtime_error(std::to_string(left) + " fetches never ended");
    }
    referee::Report report;
    const double seconds = netsim::to_seconds(now);
    report.add("makespan", seconds, "s");
    report.add_class("edge", network.edge_totals(now), settings.edge_watts, seconds);
    report.add_class("core", network.core_totals(now), settings.core_watts, seconds);
    report.add("hops", static_cast<double>(network.counters().hops), "1");
    report.add("drops", static_cast<double>(network.counters().drops), "1");
    report.add("timeouts", static_cast<double>(transfers.counters().timeouts), "1");
    report.add("bytes.sent", static_cast<double>(transfers.counters().bytes), "B");
    report.add_own_cost(cpu_before, network.counters().hops);
    report.write(report_path);
    ns3::Simulator::Destroy();
}

}  // namespace

int main(int count, char** words) {
    if (count != 4 || std::strcmp(words[2], "--report") != 0) {
        std::cerr << "usage: ns3-shuffle CONFIG.json --report REPORT.json\n";
        return 2;
    }
    try {
        run(referee::read_settings(words[1]), words[3]);
    } catch (const referee::SettingsError& error) {
        std::cerr << "ns3-shuffle: " << error.what() << '\n';
        return 2;
    } catch (const std::exception& error) {
        std::cerr << "ns3-shuffle: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
