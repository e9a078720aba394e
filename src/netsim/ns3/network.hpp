#pragma once
/// The two-rack cluster in ns-3: hosts on rack switches, rack switches on a core switch.

#include <ns3/ipv4-address.h>
#include <ns3/node.h>
#include <ns3/random-variable-stream.h>

#include <cstdint>
#include <vector>

#include "eee_net_device.hpp"

namespace referee {

/// What all links of a class share.
struct LinkClass {
    netsim::eee::PortSettings port;
    netsim::Time byte_time = 0;
    netsim::Time delay = 0;
};

struct NetworkSettings {
    std::size_t nodes = 24;  ///< hosts; host i is in rack i % 2
    LinkClass edge;          ///< host to rack switch
    LinkClass core;          ///< rack switch to core switch
    std::uint32_t buffer_bytes = 131072;
    netsim::Time jitter = 0;  ///< hosts only
    std::uint32_t seed = 1;
};

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
    explicit Network(const NetworkSettings& settings);

    const std::vector<ns3::Ptr<ns3::Node>>& hosts() const { return hosts_; }
    const std::vector<ns3::Ipv4Address>& addresses() const { return addresses_; }
    /// The interface of a host.
    EeeNetDevice& interface_of(std::size_t host) { return *host_devices_.at(host); }
    const Counters& counters() const { return counters_; }
    ClassTotals edge_totals(netsim::Time now) const { return totals(edge_, now); }
    ClassTotals core_totals(netsim::Time now) const { return totals(core_, now); }

  private:
    ns3::Ptr<EeeNetDevice> add_port(const ns3::Ptr<ns3::Node>& node, const LinkClass& link, bool host);
    void fill_arp();
    static ClassTotals totals(const std::vector<ns3::Ptr<EeeNetDevice>>& ports, netsim::Time now);

    NetworkSettings settings_;
    ns3::Ptr<ns3::UniformRandomVariable> random_;
    Counters counters_;
    std::vector<ns3::Ptr<ns3::Node>> hosts_;
    std::vector<ns3::Ptr<ns3::Node>> switches_;
    std::vector<ns3::Ipv4Address> addresses_;
    std::vector<ns3::Ptr<EeeNetDevice>> host_devices_;
    std::vector<ns3::Ptr<EeeNetDevice>> edge_;
    std::vector<ns3::Ptr<EeeNetDevice>> core_;
};

}  // namespace referee
