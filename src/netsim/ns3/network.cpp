#include "network.hpp"

#include <ns3/arp-cache.h>
#include <ns3/arp-l3-protocol.h>
#include <ns3/bridge-net-device.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-interface.h>
#include <ns3/ipv4-l3-protocol.h>

#include <algorithm>

namespace referee {
namespace {

constexpr std::size_t kRacks = 2;
constexpr std::uint32_t kFirstAddress = 0x0a000001;  // 10.0.0.1
constexpr const char* kMask = "255.255.0.0";

/// A switch that can be told where a host is, so that it floods no frame to find out.
class Switch : public ns3::BridgeNetDevice {
  public:
    /// Makes `ports` those of a new switch on `node`.
    static ns3::Ptr<Switch> make(const ns3::Ptr<ns3::Node>& node,
                                 const std::vector<ns3::Ptr<EeeNetDevice>>& ports) {
        const auto made = ns3::CreateObject<Switch>();
        made->SetAttribute("ExpirationTime", ns3::TimeValue(ns3::Hours(100)));
        node->AddDevice(made);
        for (const auto& port : ports) {
            made->AddBridgePort(port);
        }
        return made;
    }

    void tell(const EeeNetDevice& host, const ns3::Ptr<EeeNetDevice>& port) {
        Learn(ns3::Mac48Address::ConvertFrom(host.GetAddress()), port);
    }
};

}  // namespace

Network::Network(const netsim::Config& config)
    : config_(config), random_(ns3::CreateObject<ns3::UniformRandomVariable>()) {
    random_->SetStream(1);
    for (std::size_t i = 0; i <= kRacks; ++i) {
        switches_.push_back(ns3::CreateObject<ns3::Node>());
    }
    switch_ports_.resize(switches_.size());
    for (int i = 0; i < config.topology.nodes; ++i) {
        add_host(static_cast<std::size_t>(i) % kRacks);
    }
    for (std::size_t rack = 0; rack < kRacks; ++rack) {
        const auto up = add_port(switches_[rack], netsim::LinkClass::core, End::core_port);
        const auto down = add_port(switches_[kRacks], netsim::LinkClass::core, End::core_port);
        EeeNetDevice::connect(up, down);
        switch_ports_[rack].push_back(up);
        switch_ports_[kRacks].push_back(down);
    }
    add_switches();
    fill_arp();
}

void Network::add_switches() {
    const auto core = Switch::make(switches_[kRacks], switch_ports_[kRacks]);
    for (std::size_t rack = 0; rack < kRacks; ++rack) {
        const auto& ports = switch_ports_[rack];
        const auto here = Switch::make(switches_[rack], ports);
        for (std::size_t host = 0; host < host_devices_.size(); ++host) {
            // A rack's ports are those of its hosts, in their order, and the one to the core.
            here->tell(*host_devices_[host], host % kRacks == rack ? ports[host / kRacks] : ports.back());
            if (host % kRacks == rack) {
                core->tell(*host_devices_[host], switch_ports_[kRacks][rack]);
            }
        }
    }
}

void Network::add_host(std::size_t rack) {
    const auto host = ns3::CreateObject<ns3::Node>();
    ns3::InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(host);
    const auto here = add_port(host, netsim::LinkClass::edge, End::host);
    const auto there = add_port(switches_[rack], netsim::LinkClass::edge, End::rack_port);
    EeeNetDevice::connect(here, there);
    switch_ports_[rack].push_back(there);
    host_devices_.push_back(here);
    const ns3::Ipv4Address address(kFirstAddress + static_cast<std::uint32_t>(hosts_.size()));
    const auto ipv4 = host->GetObject<ns3::Ipv4>();
    const std::uint32_t index = ipv4->AddInterface(here);
    ipv4->AddAddress(index, ns3::Ipv4InterfaceAddress(address, ns3::Ipv4Mask(kMask)));
    ipv4->SetUp(index);
    hosts_.push_back(host);
    addresses_.push_back(address);
}

ns3::Ptr<EeeNetDevice> Network::add_port(const ns3::Ptr<ns3::Node>& node, netsim::LinkClass link, End end) {
    const std::size_t index = netsim::index_of(link);
    const netsim::eee::Speed& speed = config_.topology.speed.at(index);
    EeeNetDevice::Settings settings;
    settings.port = netsim::port_settings(config_.eee.policy.at(index), config_.eee, speed);
    settings.byte_time = speed.byte_time;
    settings.buffer_bytes = end == End::host ? config_.host_buffer_bytes : config_.buffer_bytes;
    if (config_.eee.wake_on_full && settings.buffer_bytes != 0) {
        settings.port.full_bytes = netsim::full_bytes(settings.buffer_bytes, config_.tcp);
    }
    if (end != End::host && config_.queue.kind == netsim::QueueConfig::Kind::ecn) {
        settings.mark_bytes = std::max<std::uint64_t>(1, config_.queue.mark_bytes);
    }
    settings.delay = ns3::PicoSeconds(config_.latency.at(index));
    settings.jitter = ns3::PicoSeconds(end == End::rack_port ? config_.tcp.jitter : 0);
    const auto device = ns3::CreateObject<EeeNetDevice>();
    device->set_up(settings, counters_, [this] { return random_->GetValue(); });
    device->SetAddress(ns3::Mac48Address::Allocate());
    node->AddDevice(device);
    ports_.at(index).push_back(device);
    return device;
}

/// Tells every host every address, so that no time and no frame goes into asking for one.
void Network::fill_arp() {
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        const auto interface = hosts_[i]->GetObject<ns3::Ipv4L3Protocol>()->GetInterface(1);
        const auto cache = interface->GetArpCache();
        for (std::size_t k = 0; k < hosts_.size(); ++k) {
            if (k != i) {
                auto* entry = cache->Add(addresses_[k]);
                entry->SetMacAddress(host_devices_[k]->GetAddress());
                entry->MarkPermanent();
            }
        }
    }
}

ClassTotals Network::totals(netsim::LinkClass link, netsim::Time now) const {
    ClassTotals sum;
    for (const auto& device : ports_.at(netsim::index_of(link))) {
        const netsim::eee::Account account = device->port().account(now);
        sum.full_seconds += netsim::eee::relative_energy(account, device->port().settings());
        sum.active += netsim::to_seconds(account.active);
        sum.sleep += netsim::to_seconds(account.sleep);
        sum.low += netsim::to_seconds(account.low());
        sum.wake += netsim::to_seconds(account.wake);
        sum.busy += netsim::to_seconds(device->busy());
        ++sum.directions;
    }
    return sum;
}

}  // namespace referee
