#include "eee_net_device.hpp"

#include <ns3/ethernet-header.h>
#include <ns3/ipv4-header.h>
#include <ns3/node.h>
#include <ns3/simulator.h>

#include <utility>

namespace referee {
namespace {

netsim::Time now() { return ns3::Simulator::Now().GetTimeStep(); }

/// Marks an IP frame "congestion experienced" if its sender allows that. Returns whether it did.
bool mark(ns3::Packet& frame) {
    constexpr std::uint16_t ipv4_type = 0x0800;
    ns3::EthernetHeader ethernet(false);
    ns3::Ipv4Header ip;
    frame.RemoveHeader(ethernet);
    bool marked = false;
    if (ethernet.GetLengthType() == ipv4_type) {
        frame.RemoveHeader(ip);
        marked = ip.GetEcn() == ns3::Ipv4Header::ECN_ECT0 || ip.GetEcn() == ns3::Ipv4Header::ECN_ECT1;
        if (marked) {
            ip.SetEcn(ns3::Ipv4Header::ECN_CE);
        }
        frame.AddHeader(ip);
    }
    frame.AddHeader(ethernet);
    return marked;
}

}  // namespace

NS_OBJECT_ENSURE_REGISTERED(EeeCable);
NS_OBJECT_ENSURE_REGISTERED(EeeNetDevice);

ns3::TypeId EeeCable::GetTypeId() {
    static const ns3::TypeId id = ns3::TypeId("referee::EeeCable").SetParent<ns3::Channel>();
    return id;
}

ns3::Ptr<ns3::NetDevice> EeeCable::GetDevice(std::size_t i) const { return ends_.at(i); }

ns3::TypeId EeeNetDevice::GetTypeId() {
    static const ns3::TypeId id =
        ns3::TypeId("referee::EeeNetDevice").SetParent<ns3::NetDevice>().AddConstructor<EeeNetDevice>();
    return id;
}

void EeeNetDevice::set_up(const Settings& settings, Counters& counters,
                          const std::function<double()>& uniform) {
    settings_ = settings;
    port_ = std::make_unique<netsim::eee::Port>(settings.port);
    counters_ = &counters;
    uniform_ = uniform;
}

void EeeNetDevice::connect(const ns3::Ptr<EeeNetDevice>& a, const ns3::Ptr<EeeNetDevice>& b) {
    const auto cable = ns3::CreateObject<EeeCable>();
    cable->add(a);
    cable->add(b);
    a->cable_ = b->cable_ = cable;
    a->peer_ = ns3::PeekPointer(b);
    b->peer_ = ns3::PeekPointer(a);
}

bool EeeNetDevice::SetMtu(std::uint16_t mtu) {
    mtu_ = mtu;
    return true;
}

ns3::Address EeeNetDevice::GetMulticast(ns3::Ipv4Address group) const {
    return ns3::Mac48Address::GetMulticast(group);
}

ns3::Address EeeNetDevice::GetMulticast(ns3::Ipv6Address group) const {
    return ns3::Mac48Address::GetMulticast(group);
}

bool EeeNetDevice::Send(ns3::Ptr<ns3::Packet> packet, const ns3::Address& to, std::uint16_t protocol) {
    return SendFrom(packet, address_, to, protocol);
}

bool EeeNetDevice::SendFrom(ns3::Ptr<ns3::Packet> packet, const ns3::Address& from, const ns3::Address& to,
                            std::uint16_t protocol) {
    ns3::EthernetHeader header(false);
    header.SetSource(ns3::Mac48Address::ConvertFrom(from));
    header.SetDestination(ns3::Mac48Address::ConvertFrom(to));
    header.SetLengthType(protocol);
    // A bridge gives the same packet to several ports.
    const ns3::Ptr<ns3::Packet> frame = packet->Copy();
    frame->AddHeader(header);
    queue(frame);
    return true;
}

void EeeNetDevice::queue(const ns3::Ptr<ns3::Packet>& frame) {
    const std::uint32_t bytes = frame_bytes(frame->GetSize());
    const bool full = settings_.buffer_bytes != 0 && waiting_bytes_ + bytes > settings_.buffer_bytes;
    if (full || (filter_ && filter_(*frame))) {
        ++counters_->drops;
        return;
    }
    if (settings_.mark_bytes != 0 && waiting_bytes_ >= settings_.mark_bytes && mark(*frame)) {
        ++counters_->marks;
    }
    waiting_.push_back(frame);
    waiting_bytes_ += bytes;
    port_->enqueue(now(), bytes);
    serve();
}

void EeeNetDevice::serve() {
    if (on_wire_ == nullptr && !waiting_.empty() && port_->may_start(now())) {
        on_wire_ = waiting_.front();
        waiting_.pop_front();
        waiting_bytes_ -= frame_bytes(on_wire_->GetSize());
        const netsim::Time takes = settings_.byte_time * (frame_bytes(on_wire_->GetSize()) + kPreambleAndGap);
        busy_ += takes;
        ns3::Simulator::Schedule(ns3::PicoSeconds(takes), &EeeNetDevice::sent, this);
    }
    plan_timer();
}

void EeeNetDevice::sent() {
    const ns3::Ptr<ns3::Packet> frame = on_wire_;
    on_wire_ = nullptr;
    ++counters_->hops;
    if (watcher_) {
        watcher_(*frame, false);
    }
    ns3::Time arrival = ns3::Simulator::Now() + settings_.delay;
    if (!settings_.jitter.IsZero()) {
        const double drawn = uniform_() * static_cast<double>(settings_.jitter.GetPicoSeconds());
        // Events at equal times keep their order.
        arrival = ns3::Max(arrival + ns3::PicoSeconds(static_cast<std::int64_t>(drawn)), last_arrival_);
        last_arrival_ = arrival;
    }
    ns3::Simulator::ScheduleWithContext(peer_->node_->GetId(), arrival - ns3::Simulator::Now(),
                                        &EeeNetDevice::arrive, peer_, frame);
    port_->transmit_done(now(), waiting_.empty());
    serve();
}

void EeeNetDevice::timer() {
    port_->timer(now());
    serve();
}

void EeeNetDevice::plan_timer() {
    // While a frame is being sent the end of sending looks after the rest.
    const netsim::Time wanted = on_wire_ != nullptr ? netsim::kNever : port_->next_call();
    if (timer_.IsRunning()) {
        if (timer_at_.GetPicoSeconds() == wanted) {
            return;
        }
        timer_.Cancel();
    }
    if (wanted < netsim::kNever) {
        timer_at_ = ns3::PicoSeconds(wanted);
        timer_ = ns3::Simulator::Schedule(timer_at_ - ns3::Simulator::Now(), &EeeNetDevice::timer, this);
    }
}

void EeeNetDevice::arrive(const ns3::Ptr<ns3::Packet>& frame) {
    if (watcher_) {
        watcher_(*frame, true);
    }
    ns3::EthernetHeader header(false);
    const ns3::Ptr<ns3::Packet> packet = frame->Copy();
    packet->RemoveHeader(header);
    const ns3::Mac48Address to = header.GetDestination();
    const PacketType kind = to.IsBroadcast() ? PACKET_BROADCAST
                            : to.IsGroup()   ? PACKET_MULTICAST
                            : to == address_ ? PACKET_HOST
                                             : PACKET_OTHERHOST;
    const std::uint16_t protocol = header.GetLengthType();
    if (!promiscuous_.IsNull()) {
        promiscuous_(this, packet, protocol, header.GetSource(), to, kind);
    }
    if (kind != PACKET_OTHERHOST && !receive_.IsNull()) {
        receive_(this, packet, protocol, header.GetSource());
    }
}

void EeeNetDevice::DoDispose() {
    timer_.Cancel();
    waiting_.clear();
    on_wire_ = nullptr;
    node_ = nullptr;
    cable_ = nullptr;
    NetDevice::DoDispose();
}

}  // namespace referee
