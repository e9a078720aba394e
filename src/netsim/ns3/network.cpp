#include "network.hpp"

#include <ns3/arp-cache.h>
#include <ns3/arp-l3-protocol.h>
#include <ns3/bridge-net-device.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-interface.h>
#include <ns3/ipv4-l3-protocol.h>
#include <ns3/rng-seed-manager.h>

#include <array>

namespace referee {
namespace {

constexpr std::uint32_t kFirstAddress = 0x0a000001;  // 10.0.0.1
constexpr const char* kMask = "255.255.0.0";

/// Makes the ports of `node` those of one switch.
void bridge(const ns3::Ptr<ns3::Node>& node, const std::vector<ns3::Ptr<EeeNetDevice>>& ports) {
    const auto bridge = ns3::CreateObject<ns3::BridgeNetDevice>();
    bridge->SetAttribute("ExpirationTime", ns3::TimeValue(ns3::Hours(1)));
    node->AddDevice(bridge);
    for (const auto& port : ports) {
        bridge->AddBridgePort(port);
    }
}

}  // namespace

Network::Network(const NetworkSettings& settings)
    : settings_(settings), random_(ns3::CreateObject<ns3::UniformRandomVariable>()) {
    ns3::RngSeedManager::SetSeed(settings.seed);
    random_->SetStream(1);
    ns3::InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    constexpr std::size_t kRacks = 2;
    std::array<std::vector<ns3::Ptr<EeeNetDevice>>, kRacks> rack_ports;
    std::vector<ns3::Ptr<EeeNetDevice>> core_ports;
    for (std::size_t i = 0; i <= kRacks; ++i) {
        switches_.push_back(ns3::CreateObject<ns3::Node>());
    }
    for (std::size_t i = 0; i < settings.nodes; ++i) {
        const auto host = ns3::CreateObject<ns3::Node>();
        stack.Install(host);
        const std::size_t rack = i % kRacks;
        const auto here = add_port(host, settings.edge, true);
        const auto there = add_port(switches_[rack], settings.edge, false);
        EeeNetDevice::connect(here, there);
        rack_ports.at(rack).push_back(there);
        edge_.push_back(here);
        edge_.push_back(there);
        host_devices_.push_back(here);
        hosts_.push_back(host);
        const ns3::Ipv4Address address(kFirstAddress + static_cast<std::uint32_t>(i));
        const auto ipv4 = host->GetObject<ns3::Ipv4>();
        const std::uint32_t index = ipv4->AddInterface(here);
        ipv4->AddAddress(index, ns3::Ipv4InterfaceAddress(address, ns3::Ipv4Mask(kMask)));
        ipv4->SetUp(index);
        addresses_.push_back(address);
    }
    for (std::size_t rack = 0; rack < kRacks; ++rack) {
        const auto up = add_port(switches_[rack], settings.core, false);
        const auto down = add_port(switches_[kRacks], settings.core, false);
        EeeNetDevice::connect(up, down);
        rack_ports.at(rack).push_back(up);
        core_ports.push_back(down);
        core_.push_back(up);
        core_.push_back(down);
        bridge(switches_[rack], rack_ports.at(rack));
    }
    bridge(switches_[kRacks], core_ports);
    fill_arp();
}

ns3::Ptr<EeeNetDevice> Network::add_port(const ns3::Ptr<ns3::Node>& node, const LinkClass& link, bool host) {
    EeeNetDevice::Settings settings;
    settings.port = link.port;
    settings.byte_time = link.byte_time;
    settings.buffer_bytes = settings_.buffer_bytes;
    settings.delay = ns3::PicoSeconds(link.delay);
    settings.jitter = ns3::PicoSeconds(host ? settings_.jitter : 0);
    const auto device = ns3::CreateObject<EeeNetDevice>();
    device->set_up(settings, counters_, [this] { return random_->GetValue(); });
    device->SetAddress(ns3::Mac48Address::Allocate());
    node->AddDevice(device);
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

ClassTotals Network::totals(const std::vector<ns3::Ptr<EeeNetDevice>>& ports, netsim::Time now) {
    ClassTotals sum;
    for (const auto& device : ports) {
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
