/// netsim-scenario CONFIG.json NAME --report REPORT.json [--trace TRACE.csv]: what ns3-scenario does, on
/// netsim.

#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "netsim/config.hpp"
#include "netsim/error.hpp"
#include "netsim/fields.hpp"
#include "netsim/network.hpp"
#include "netsim/report.hpp"
#include "netsim/simulator.hpp"
#include "netsim/tcp/tcp.hpp"
#include "scenarios.hpp"

namespace {

using referee::Scenario;

/// One run of a scenario.
class Run final : public netsim::TransferDone {
  public:
    Run(const netsim::Config& config, const Scenario& scenario, std::ostream* trace)
        : scenario_(scenario),
          mss_(config.tcp.mss),
          trace_(trace),
          network_(config, simulator_),
          tcp_(config.tcp, config.seed, network_, simulator_),
          ends_(scenario.flows.size(), -1),
          left_(scenario.flows.size()) {
        for (const auto& loss : scenario.losses) {
            to_lose_[{loss.flow, loss.segment}] = loss.times;
        }
        network_.lose(
            [this](std::uint32_t link, const netsim::Packet& packet) { return watch(link, packet); });
        if (trace_ != nullptr) {
            *trace_ << "t_s,host,event,flow,sequence,bytes,acknowledged,sack,flags\n";
        }
    }

    void simulate() {
        for (std::size_t i = 0; i < scenario_.flows.size(); ++i) {
            const auto& flow = scenario_.flows[i];
            tcp_.fetch(flow.client, flow.server, flow.bytes, *this, i);
        }
        simulator_.run([this](netsim::EventKind kind, std::uint32_t index) {
            switch (kind) {
                case netsim::EventKind::link_arrival:
                    network_.arrive<false>(
                        index, [this](const netsim::Packet& packet) { tcp_.deliver(packet); },
                        [this](const netsim::Packet& packet) -> const netsim::Path& {
                            return tcp_.path_of(packet);
                        },
                        [this](const netsim::Packet& packet) { tcp_.lost(packet); });
                    break;
                case netsim::EventKind::link_timer:
                    network_.on_timer(index);
                    break;
                case netsim::EventKind::flow_timer:
                    tcp_.on_timer(index);
                    break;
                default:
                    break;
            }
        });
    }

    void on_transfer(netsim::Time now, std::uint64_t tag) override {
        ends_.at(tag) = netsim::to_seconds(now);
        if (--left_ == 0) {
            simulator_.stop();
        }
    }

    void report(netsim::Report& report) {
        std::uint64_t drops = 0;
        for (const netsim::LinkClass c : netsim::kLinkClasses) {
            drops += network_.totals(c, simulator_.now()).drops;
        }
        report.add("makespan", netsim::to_seconds(simulator_.now()), "s");
        report.add("hops", static_cast<double>(network_.hops()), "1");
        report.add("drops", static_cast<double>(drops), "1");
        report.add("timeouts", static_cast<double>(tcp_.counters().timeouts), "1");
        for (std::size_t i = 0; i < ends_.size(); ++i) {
            if (ends_[i] < 0) {
                throw std::runtime_error("flow " + std::to_string(i) + " never ended");
            }
            report.add("flow." + std::to_string(i), ends_[i], "s");
        }
    }

  private:
    /// Looks at every packet before a queue; answers and acknowledgements are noted at the server's own port.
    bool watch(std::uint32_t link, const netsim::Packet& packet) {
        const auto flow = static_cast<int>(packet.connection);
        const bool answer = (packet.hop & netsim::kFromServer) != 0;
        const int hop = packet.hop & ~netsim::kFromServer;
        if (!answer || hop != 0) {
            if (!answer && network_.topology().links()[link].to_host) {
                note("comes", packet);
            }
            return false;
        }
        const auto found = to_lose_.find({flow, packet.number});
        const bool data = (packet.flags & netsim::kData) != 0;
        if (data && found != to_lose_.end() && found->second > 0) {
            --found->second;
            note("loses", packet);
            return true;
        }
        note("sends", packet);
        return false;
    }

    void note(const char* event, const netsim::Packet& packet) {
        if (trace_ != nullptr) {
            const bool data = (packet.flags & netsim::kData) != 0;
            const std::uint64_t number = std::uint64_t{packet.number} * mss_;
            *trace_ << netsim::to_seconds(simulator_.now()) << ','
                    << scenario_.flows.at(packet.connection).server << ',' << event << ','
                    << packet.connection << ',' << (data ? number : 0) << ',' << packet.bytes << ','
                    << (data ? 0 : number) << ',' << (packet.sack[0].length != 0) << ','
                    << static_cast<int>(packet.flags) << '\n';
        }
    }

    Scenario scenario_;
    std::uint32_t mss_;
    std::ostream* trace_;
    netsim::Simulator simulator_;
    netsim::Network network_;
    netsim::tcp::Tcp tcp_;
    std::vector<double> ends_;
    std::size_t left_;
    std::map<std::pair<int, std::uint64_t>, int> to_lose_;  // by flow and segment
};

void run(const std::vector<std::string>& words) {
    const auto all = referee::scenarios();
    const auto found = all.find(words[2]);
    if (found == all.end()) {
        throw netsim::ConfigError("no scenario is called \"" + words[2] + "\"");
    }
    const netsim::Config config = netsim::read_config(netsim::read_json(words[1]), {"shuffle"});
    std::ofstream trace;
    const bool traced = words.size() > 5;
    if (traced) {
        trace.open(words[6]);
        constexpr int digits = 12;
        trace.precision(digits);
    }
    Run one(config, found->second, traced ? &trace : nullptr);
    one.simulate();
    netsim::Report report;
    one.report(report);
    report.write(words[4]);
    if (traced && !trace.flush()) {
        throw std::runtime_error(words[6] + ": cannot be written");
    }
}

}  // namespace

int main(int count, char** given) {
    const std::vector<std::string> words(given, given + count);
    if ((count != 5 && (count != 7 || words[5] != "--trace")) || words[3] != "--report") {
        std::cerr << "usage: netsim-scenario CONFIG.json NAME --report REPORT.json [--trace TRACE.csv]\n";
        return 2;
    }
    try {
        run(words);
    } catch (const std::exception& error) {
        std::cerr << "netsim-scenario: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
