#include "transfer.hpp"

#include <ns3/boolean.h>
#include <ns3/config.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/inet-socket-address.h>
#include <ns3/nstime.h>
#include <ns3/object-factory.h>
#include <ns3/rtt-estimator.h>
#include <ns3/tcp-cubic.h>
#include <ns3/tcp-dctcp.h>
#include <ns3/tcp-l4-protocol.h>
#include <ns3/tcp-recovery-ops.h>
#include <ns3/tcp-socket-factory.h>
#include <ns3/tcp-tx-buffer.h>
#include <ns3/type-id.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <utility>

namespace referee {
namespace {

constexpr std::uint16_t kPort = 5001;
/// Tries of one segment or request: enough that no flow gives up in a run full of losses.
constexpr std::uint32_t kTries = 1000;
/// Half of TIME_WAIT. ns-3 looks connections up in a list, so that two minutes of ended ones would slow it
/// down.
constexpr double kSegmentLifetime = 0.25;

ns3::TimeValue time(netsim::Time t) { return {ns3::PicoSeconds(t)}; }

/// ns-3's DCTCP with the least window of RFC 5681: its own can fall below one segment, and then nothing is
/// sent until the retransmission timer runs out.
class Dctcp : public ns3::TcpDctcp {
  public:
    static ns3::TypeId GetTypeId() {
        static const ns3::TypeId id =
            ns3::TypeId("referee::Dctcp").SetParent<ns3::TcpDctcp>().AddConstructor<Dctcp>();
        return id;
    }

    std::uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> state, std::uint32_t in_flight) override {
        return std::max(TcpDctcp::GetSsThresh(state, in_flight), 2 * state->m_segmentSize);
    }
    ns3::Ptr<ns3::TcpCongestionOps> Fork() override { return ns3::CopyObject<Dctcp>(this); }
};

ns3::TypeId congestion_type(netsim::TcpConfig::Flavour flavour) {
    switch (flavour) {
        case netsim::TcpConfig::Flavour::cubic:
            return ns3::TcpCubic::GetTypeId();
        case netsim::TcpConfig::Flavour::dctcp:
            return Dctcp::GetTypeId();
        case netsim::TcpConfig::Flavour::newreno:
            break;
    }
    return ns3::TcpNewReno::GetTypeId();
}

/// Address and port in one number.
std::uint64_t place_of(const ns3::Address& address) {
    const auto place = ns3::InetSocketAddress::ConvertFrom(address);
    return (std::uint64_t{place.GetIpv4().Get()} << 16U) | place.GetPort();
}

}  // namespace

void use(const netsim::TcpConfig& settings) {
    const auto set = [](const char* name, const ns3::AttributeValue& value) {
        ns3::Config::SetDefault(name, value);
    };
    // The sender is limited by the receiver's window, never by its own buffer.
    constexpr std::uint32_t send_buffer = 1U << 22;
    set("ns3::TcpSocket::SndBufSize", ns3::UintegerValue(std::max(send_buffer, 4 * settings.window_bytes)));
    set("ns3::TcpSocket::RcvBufSize", ns3::UintegerValue(settings.window_bytes));
    set("ns3::TcpSocket::SegmentSize", ns3::UintegerValue(settings.mss));
    set("ns3::TcpSocket::InitialCwnd", ns3::UintegerValue(settings.initial_window));
    set("ns3::TcpSocket::DelAckCount", ns3::UintegerValue(settings.delayed_ack));
    set("ns3::TcpSocket::DelAckTimeout", time(settings.delayed_ack_time));
    set("ns3::TcpSocket::ConnTimeout", time(settings.rto_initial));
    set("ns3::TcpSocket::ConnCount", ns3::UintegerValue(30));  // the time-out doubles by shifting an int
    set("ns3::TcpSocket::DataRetries", ns3::UintegerValue(kTries));
    set("ns3::TcpSocket::TcpNoDelay", ns3::BooleanValue(true));
    set("ns3::TcpSocketBase::MinRto", time(settings.rto_min));
    set("ns3::TcpSocketBase::Sack", ns3::BooleanValue(settings.sack));
    set("ns3::TcpSocketBase::Timestamp", ns3::BooleanValue(false));
    set("ns3::TcpSocketBase::WindowScaling", ns3::BooleanValue(settings.window_bytes > 65535));
    set("ns3::TcpSocketBase::MaxSegLifetime", ns3::DoubleValue(kSegmentLifetime));
    set("ns3::RttEstimator::InitialEstimation", time(settings.rto_initial));
    if (settings.ecn) {
        set("ns3::TcpSocketBase::UseEcn", ns3::EnumValue(ns3::TcpSocketState::On));
    }
}

NS_OBJECT_ENSURE_REGISTERED(CountingSocket);

ns3::TypeId CountingSocket::GetTypeId() {
    static const ns3::TypeId id = ns3::TypeId("referee::CountingSocket")
                                      .SetParent<ns3::TcpSocketBase>()
                                      .AddConstructor<CountingSocket>();
    return id;
}

ns3::Ptr<CountingSocket> CountingSocket::make(const ns3::Ptr<ns3::Node>& node,
                                              const netsim::TcpConfig& settings, TcpCounters& counters) {
    const auto tcp = node->GetObject<ns3::TcpL4Protocol>();
    const auto socket = ns3::CreateObject<CountingSocket>();
    ns3::ObjectFactory congestion;
    congestion.SetTypeId(congestion_type(settings.flavour));
    socket->counters_ = &counters;
    socket->SetNode(node);
    socket->SetTcp(tcp);
    socket->SetRtt(ns3::CreateObject<ns3::RttMeanDeviation>());
    socket->SetCongestionControlAlgorithm(congestion.Create<ns3::TcpCongestionOps>());
    socket->SetRecoveryAlgorithm(ns3::CreateObject<ns3::TcpClassicRecovery>());
    socket->guard_window();
    tcp->AddSocket(socket);
    return socket;
}

/// ns-3 3.37 takes an empty segment from its buffer, and crashes, when the data sent fills the receiver's
/// window exactly while selective acknowledgements leave room in the congestion window.
void CountingSocket::guard_window() {
    m_txBuffer->SetRWndCallback(ns3::MakeCallback(&CountingSocket::window_of_whole_segments, this));
}

/// The receiver's window, or less than what is sent when no whole segment (or what is left) fits into it any
/// more.
std::uint32_t CountingSocket::window_of_whole_segments() const {
    const std::uint32_t window = m_rWnd.Get();
    const auto sent = static_cast<std::uint32_t>(m_tcb->m_highTxMark.Get() - m_txBuffer->HeadSequence());
    const std::uint32_t next = std::min(m_tcb->m_segmentSize, m_txBuffer->Size() - sent);
    return sent != 0 && window < sent + next ? sent - 1 : window;
}

void CountingSocket::ReTxTimeout() {
    // ns-3 also lets the timer run out when there is nothing left to send again.
    const bool outstanding = m_state == SYN_SENT || m_txBuffer->Size() != 0;
    if (m_state != CLOSED && m_state != TIME_WAIT && outstanding) {
        ++counters_->timeouts;
    }
    TcpSocketBase::ReTxTimeout();
}

ns3::Ptr<ns3::TcpSocketBase> CountingSocket::Fork() {
    const auto socket = ns3::CopyObject<CountingSocket>(this);
    socket->guard_window();
    return socket;
}

Transfers::Transfers(std::vector<ns3::Ptr<ns3::Node>> nodes, std::vector<ns3::Ipv4Address> addresses,
                     const netsim::TcpConfig& settings)
    : nodes_(std::move(nodes)), addresses_(std::move(addresses)), settings_(settings) {
    for (const auto& node : nodes_) {
        const auto socket = CountingSocket::make(node, settings_, counters_);
        socket->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), kPort));
        socket->Listen();
        socket->SetAcceptCallback(ns3::MakeNullCallback<bool, ns3::Ptr<ns3::Socket>, const ns3::Address&>(),
                                  ns3::MakeCallback(&Transfers::accept, this));
        listening_.emplace_back(socket);
    }
}

void Transfers::fetch(std::size_t client, std::size_t server, std::uint64_t bytes, Done done) {
    const auto socket = CountingSocket::make(nodes_.at(client), settings_, counters_);
    socket->Bind();
    clients_[ns3::PeekPointer(socket)] = {bytes, std::move(done)};
    socket->SetConnectCallback(ns3::MakeCallback(&Transfers::connected, this),
                               ns3::MakeNullCallback<void, ns3::Ptr<ns3::Socket>>());
    socket->SetRecvCallback(ns3::MakeCallback(&Transfers::take, this));
    socket->Connect(ns3::InetSocketAddress(addresses_.at(server), kPort));
    ns3::Address mine;
    socket->GetSockName(mine);  // its address is known by now, the answer's size before any server is asked
    asked_[place_of(mine)] = bytes;
    ports_.push_back(ns3::InetSocketAddress::ConvertFrom(mine).GetPort());
}

void Transfers::connected(ns3::Ptr<ns3::Socket> socket) {
    socket->Send(ns3::Create<ns3::Packet>(settings_.request_bytes));
}

void Transfers::take(ns3::Ptr<ns3::Socket> socket) {
    const auto found = clients_.find(ns3::PeekPointer(socket));
    while (const ns3::Ptr<ns3::Packet> packet = socket->Recv()) {
        if (packet->GetSize() == 0) {
            break;
        }
        counters_.bytes += packet->GetSize();
        if (found != clients_.end()) {
            found->second.left -= std::min<std::uint64_t>(found->second.left, packet->GetSize());
        }
    }
    if (found != clients_.end() && found->second.left == 0) {
        const Done done = std::move(found->second.done);
        clients_.erase(found);
        socket->Close();
        done();
    }
}

void Transfers::accept(ns3::Ptr<ns3::Socket> socket, const ns3::Address& from) {
    const auto asked = asked_.find(place_of(from));
    if (asked == asked_.end()) {
        return;  // nobody waits for the answer any more
    }
    servers_[ns3::PeekPointer(socket)] = {settings_.request_bytes, asked->second};
    asked_.erase(asked);
    socket->SetRecvCallback(ns3::MakeCallback(&Transfers::serve, this));
    socket->SetSendCallback(ns3::MakeCallback(&Transfers::answer, this));
}

void Transfers::serve(ns3::Ptr<ns3::Socket> socket) {
    const auto found = servers_.find(ns3::PeekPointer(socket));
    while (const ns3::Ptr<ns3::Packet> packet = socket->Recv()) {
        if (packet->GetSize() == 0 || found == servers_.end()) {
            return;
        }
        std::uint64_t& left = found->second.request_left;
        left -= std::min<std::uint64_t>(left, packet->GetSize());
        if (left == 0) {
            answer(socket, socket->GetTxAvailable());
            return;
        }
    }
}

void Transfers::answer(ns3::Ptr<ns3::Socket> socket, std::uint32_t /*room*/) {
    const auto found = servers_.find(ns3::PeekPointer(socket));
    if (found == servers_.end() || found->second.request_left != 0) {
        return;
    }
    Server& server = found->second;
    while (server.answer_left != 0) {
        const auto size =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(server.answer_left, socket->GetTxAvailable()));
        if (size == 0 || socket->Send(ns3::Create<ns3::Packet>(size)) <= 0) {
            return;
        }
        server.answer_left -= size;
    }
    servers_.erase(found);
    socket->Close();
}

}  // namespace referee
