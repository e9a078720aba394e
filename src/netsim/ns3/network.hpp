#pragma once
/// The two-rack cluster in ns-3: hosts on rack switches, rack switches on a core switch.

#include <ns3/ipv4-address.h>
#include <ns3/node.h>
#include <ns3/random-variable-stream.h>

#include <array>
#include <vector>

#include "eee_net_device.hpp"
#include "netsim/config.hpp"

namespace referee {

/// Energy and times of all ports of a class, both directions.
struct ClassTotals {
    double full_seconds = 0;  ///< energy, in port seconds at full power
    double active = 0;        ///< port seconds
    double sleep = 0;         ///< port seconds
    double low = 0;           ///< port seconds
    double wake = 0;          ///< port seconds
    double busy = 0;          ///< port seconds of sending
    std::size_t directions = 0;
};

class Network {
  public:
    /// Builds the network of a two-rack `config`.
    explicit Network(const netsim::Config& config);

    const std::vector<ns3::Ptr<ns3::Node>>& hosts() const { return hosts_; }
    const std::vector<ns3::Ipv4Address>& addresses() const { return addresses_; }
    /// The interface of a host.
    EeeNetDevice& interface_of(std::size_t host) { return *host_devices_.at(host); }
    const Counters& counters() const { return counters_; }
    /// Sums over all ports of a class, from the begin to `now`.
    ClassTotals totals(netsim::LinkClass link, netsim::Time now) const;

  private:
    /// What a port is: a host's, a rack switch's to a host, or one between switches.
    enum class End { host, rack_port, core_port };

    ns3::Ptr<EeeNetDevice> add_port(const ns3::Ptr<ns3::Node>& node, netsim::LinkClass link, End end);
    void add_host(std::size_t rack);
    void add_switches();
    void fill_arp();

    netsim::Config config_;
    ns3::Ptr<ns3::UniformRandomVariable> random_;
    Counters counters_;
    std::vector<ns3::Ptr<ns3::Node>> hosts_;
    std::vector<ns3::Ptr<ns3::Node>> switches_;
    std::vector<ns3::Ipv4Address> addresses_;
    std::vector<ns3::Ptr<EeeNetDevice>> host_devices_;
    std::array<std::vector<ns3::Ptr<EeeNetDevice>>, 2> ports_;  // by link class
    std::vector<std::vector<ns3::Ptr<EeeNetDevice>>> switch_ports_;
};

}  // namespace referee
