/// ns3-scenario CONFIG.json NAME --report REPORT.json [--trace TRACE.csv]: one TCP scenario over ns-3's TCP.
/// The report has the end of each flow (`flow.0`, s, and so on); the trace has every segment that a server's
/// interface sends, receives or loses.

#include <ns3/ethernet-header.h>
#include <ns3/ipv4-header.h>
#include <ns3/simulator.h>
#include <ns3/tcp-header.h>

#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "netsim/error.hpp"
#include "netsim/fields.hpp"
#include "run.hpp"
#include "scenarios.hpp"

namespace {

using referee::Scenario;

/// What a frame with a TCP segment says.
struct Segment {
    std::uint16_t client_port = 0;
    std::uint64_t sequence = 0;  ///< of its first byte; the first byte of an answer is 0
    std::uint32_t bytes = 0;     ///< payload
    std::uint64_t acknowledged = 0;
    bool sack = false;
    std::uint8_t flags = 0;
};

/// Reads a frame. `answers`: it goes from a server to a client.
Segment parse(const ns3::Packet& frame, bool answers) {
    ns3::EthernetHeader ethernet(false);
    ns3::Ipv4Header ip;
    ns3::TcpHeader tcp;
    const auto packet = frame.Copy();
    packet->RemoveHeader(ethernet);
    packet->RemoveHeader(ip);
    packet->RemoveHeader(tcp);
    Segment segment;
    segment.client_port = answers ? tcp.GetDestinationPort() : tcp.GetSourcePort();
    segment.bytes = packet->GetSize();
    // ns-3 gives the request for a connection number 0.
    segment.sequence = tcp.GetSequenceNumber().GetValue() - 1;
    segment.acknowledged = tcp.GetAckNumber().GetValue() - 1;
    segment.sack = tcp.HasOption(ns3::TcpOption::SACK);
    segment.flags = tcp.GetFlags();
    return segment;
}

/// One run of a scenario.
class Run {
  public:
    Run(const netsim::Config& config, const Scenario& scenario, std::ostream* trace)
        : config_(config),
          scenario_(scenario),
          trace_(trace),
          network_(config),
          transfers_(network_.hosts(), network_.addresses(), config.tcp),
          ends_(scenario.flows.size(), -1) {
        for (const auto& loss : scenario.losses) {
            to_lose_[{loss.flow, loss.segment * config.tcp.mss}] = loss.times;
        }
        for (const auto& flow : scenario.flows) {
            watch(static_cast<std::size_t>(flow.server));
        }
        if (trace_ != nullptr) {
            *trace_ << "t_s,host,event,flow,sequence,bytes,acknowledged,sack,flags\n";
        }
    }

    void simulate() {
        ns3::Simulator::Schedule(ns3::Seconds(0), &Run::start, this);
        ns3::Simulator::Run();
    }

    /// Ends of the flows, s; -1 for one that never ended.
    const std::vector<double>& ends() const { return ends_; }
    const referee::Network& network() const { return network_; }
    const referee::Transfers& transfers() const { return transfers_; }

  private:
    void start() {
        left_ = scenario_.flows.size();
        for (std::size_t i = 0; i < scenario_.flows.size(); ++i) {
            const auto& flow = scenario_.flows[i];
            transfers_.fetch(static_cast<std::size_t>(flow.client), static_cast<std::size_t>(flow.server),
                             flow.bytes, [this, i] {
                                 ends_[i] = ns3::Simulator::Now().GetSeconds();
                                 if (--left_ == 0) {
                                     ns3::Simulator::Stop();
                                 }
                             });
            flow_of_[{flow.server, transfers_.client_ports()[i]}] = static_cast<int>(i);
        }
    }

    void watch(std::size_t host) {
        auto& device = network_.interface_of(host);
        device.set_filter([this, host](const ns3::Packet& frame) { return loses(host, parse(frame, true)); });
        if (trace_ != nullptr) {
            device.set_watcher([this, host](const ns3::Packet& frame, bool arrives) {
                note(host, arrives ? "arrives" : "sends", parse(frame, !arrives));
            });
        }
    }

    /// The flow of a server's segment, -1 for none. Clients may have the same port on different hosts, not to
    /// one server.
    int flow_of(std::size_t host, const Segment& segment) const {
        const auto found = flow_of_.find({static_cast<int>(host), segment.client_port});
        return found == flow_of_.end() ? -1 : found->second;
    }

    bool loses(std::size_t host, const Segment& segment) {
        if (segment.bytes == 0) {
            return false;
        }
        const auto found = to_lose_.find({flow_of(host, segment), segment.sequence});
        if (found == to_lose_.end() || found->second == 0) {
            return false;
        }
        --found->second;
        note(host, "loses", segment);
        return true;
    }

    void note(std::size_t host, const char* event, const Segment& segment) {
        if (trace_ != nullptr) {
            *trace_ << ns3::Simulator::Now().GetSeconds() << ',' << host << ',' << event << ','
                    << flow_of(host, segment) << ',' << segment.sequence << ',' << segment.bytes << ','
                    << segment.acknowledged << ',' << segment.sack << ','
                    << ns3::TcpHeader::FlagsToString(segment.flags) << '\n';
        }
    }

    netsim::Config config_;
    Scenario scenario_;
    std::ostream* trace_;
    referee::Network network_;
    referee::Transfers transfers_;
    std::vector<double> ends_;
    std::size_t left_ = 0;
    std::map<std::pair<int, std::uint64_t>, int> to_lose_;  // by flow and first byte
    std::map<std::pair<int, std::uint16_t>, int> flow_of_;  // by server and the client's port
};

void run(const std::string& config_path, const std::string& name, const std::string& report_path,
         const std::string& trace_path) {
    const double cpu_before = referee::cpu_seconds();
    const auto all = referee::scenarios();
    const auto found = all.find(name);
    if (found == all.end()) {
        throw netsim::ConfigError("no scenario is called \"" + name + "\"");
    }
    const netsim::Config config = referee::read_config(netsim::read_json(config_path), {"shuffle"});
    for (const auto& flow : found->second.flows) {
        if (flow.client >= config.topology.nodes || flow.server >= config.topology.nodes) {
            throw netsim::ConfigError("topology.nodes: too few for the scenario");
        }
    }
    std::ofstream trace;
    if (!trace_path.empty()) {
        trace.open(trace_path);
        constexpr int digits = 12;
        trace.precision(digits);
    }
    referee::begin(config);
    Run one(config, found->second, trace_path.empty() ? nullptr : &trace);
    one.simulate();
    netsim::Report report;
    referee::add_results(report, config, one.network(), one.transfers(), ns3::Simulator::Now().GetTimeStep(),
                         cpu_before);
    for (std::size_t i = 0; i < one.ends().size(); ++i) {
        if (one.ends()[i] < 0) {
            throw std::runtime_error("flow " + std::to_string(i) + " never ended");
        }
        report.add("flow." + std::to_string(i), one.ends()[i], "s", referee::kSimulated);
    }
    report.write(report_path);
    if (!trace_path.empty() && !trace.flush()) {
        throw std::runtime_error(trace_path + ": cannot be written");
    }
    ns3::Simulator::Destroy();
}

}  // namespace

int main(int count, char** given) {
    const std::vector<std::string> words(given, given + count);
    const bool traced = count == 7 && words[5] == "--trace";
    if ((count != 5 && !traced) || words[3] != "--report") {
        std::cerr << "usage: ns3-scenario CONFIG.json NAME --report REPORT.json [--trace TRACE.csv]\n";
        return 2;
    }
    return referee::guarded("ns3-scenario",
                            [&] { run(words[1], words[2], words[4], traced ? words[6] : std::string()); });
}
