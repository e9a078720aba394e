#pragma once
/// Energy Efficient Ethernet interface for ns-3, around the port of netsim/eee/port.hpp.

#include <ns3/callback.h>
#include <ns3/channel.h>
#include <ns3/event-id.h>
#include <ns3/mac48-address.h>
#include <ns3/net-device.h>
#include <ns3/nstime.h>
#include <ns3/packet.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "netsim/eee/port.hpp"

namespace referee {

/// Bytes of a frame whose packet, Ethernet header included, has `packet` bytes: with its check sum, at
/// least 64.
constexpr std::uint32_t frame_bytes(std::uint32_t packet) {
    constexpr std::uint32_t check_sum = 4;
    constexpr std::uint32_t smallest = 64;
    return packet + check_sum < smallest ? smallest : packet + check_sum;
}
/// Bytes of preamble and gap, that take time on the wire but no room in a buffer.
inline constexpr std::uint32_t kPreambleAndGap = 20;

/// Counters of all interfaces of a run.
struct Counters {
    std::uint64_t hops = 0;   ///< frames sent by a port
    std::uint64_t marks = 0;  ///< frames marked "congestion experienced"
    std::uint64_t drops = 0;  ///< frames that found a full buffer, or that a filter took away
};

class EeeNetDevice;

/// Cable between two interfaces, full duplex.
class EeeCable : public ns3::Channel {
  public:
    static ns3::TypeId GetTypeId();

    std::size_t GetNDevices() const override { return ends_.size(); }
    ns3::Ptr<ns3::NetDevice> GetDevice(std::size_t i) const override;

    void add(const ns3::Ptr<EeeNetDevice>& end) { ends_.push_back(end); }

  private:
    std::vector<ns3::Ptr<EeeNetDevice>> ends_;
};

/// One interface: a byte-limited drop-tail buffer in front of an EEE port, and the cable's delay behind it.
/// It can be a port of a `BridgeNetDevice`: it has `SendFrom`, promiscuous receive and Ethernet headers.
class EeeNetDevice : public ns3::NetDevice {
  public:
    /// Says whether a frame about to be queued is lost instead.
    using Filter = std::function<bool(const ns3::Packet&)>;
    /// Sees every frame that is sent (`arrives` false) or has arrived (true), with its Ethernet header.
    using Watcher = std::function<void(const ns3::Packet&, bool arrives)>;

    struct Settings {
        netsim::eee::PortSettings port;
        netsim::Time byte_time = 0;  ///< of one byte on the wire
        std::uint32_t buffer_bytes =
            0;                         ///< room for frames, the one being sent included, in bytes on the wire
        std::uint64_t mark_bytes = 0;  ///< buffer filled so far marks frames that allow it; 0: marks none
        ns3::Time delay;               ///< of the cable, switching included
        ns3::Time jitter;  ///< upper end of a uniform time added to the delay; frames keep their order
    };

    static ns3::TypeId GetTypeId();

    EeeNetDevice() = default;
    EeeNetDevice(const EeeNetDevice&) = delete;
    EeeNetDevice& operator=(const EeeNetDevice&) = delete;

    /// Sets up one end; both ends of a cable need it before the first frame.
    void set_up(const Settings& settings, Counters& counters, const std::function<double()>& uniform);
    /// Connects two interfaces.
    static void connect(const ns3::Ptr<EeeNetDevice>& a, const ns3::Ptr<EeeNetDevice>& b);

    void set_filter(Filter filter) { filter_ = std::move(filter); }
    void set_watcher(Watcher watcher) { watcher_ = std::move(watcher); }

    const netsim::eee::Port& port() const { return *port_; }
    /// Time spent sending.
    netsim::Time busy() const { return busy_; }

    void SetIfIndex(std::uint32_t index) override { index_ = index; }
    std::uint32_t GetIfIndex() const override { return index_; }
    ns3::Ptr<ns3::Channel> GetChannel() const override { return cable_; }
    void SetAddress(ns3::Address address) override { address_ = ns3::Mac48Address::ConvertFrom(address); }
    ns3::Address GetAddress() const override { return address_; }
    bool SetMtu(std::uint16_t mtu) override;
    std::uint16_t GetMtu() const override { return mtu_; }
    bool IsLinkUp() const override { return cable_ != nullptr; }
    void AddLinkChangeCallback(ns3::Callback<void> /*callback*/) override {}
    bool IsBroadcast() const override { return true; }
    ns3::Address GetBroadcast() const override { return ns3::Mac48Address::GetBroadcast(); }
    bool IsMulticast() const override { return true; }
    ns3::Address GetMulticast(ns3::Ipv4Address group) const override;
    ns3::Address GetMulticast(ns3::Ipv6Address group) const override;
    bool IsBridge() const override { return false; }
    bool IsPointToPoint() const override { return false; }
    bool Send(ns3::Ptr<ns3::Packet> packet, const ns3::Address& to, std::uint16_t protocol) override;
    bool SendFrom(ns3::Ptr<ns3::Packet> packet, const ns3::Address& from, const ns3::Address& to,
                  std::uint16_t protocol) override;
    ns3::Ptr<ns3::Node> GetNode() const override { return node_; }
    void SetNode(ns3::Ptr<ns3::Node> node) override { node_ = node; }
    bool NeedsArp() const override { return true; }
    void SetReceiveCallback(ReceiveCallback callback) override { receive_ = callback; }
    void SetPromiscReceiveCallback(PromiscReceiveCallback callback) override { promiscuous_ = callback; }
    bool SupportsSendFrom() const override { return true; }

  protected:
    void DoDispose() override;

  private:
    void queue(const ns3::Ptr<ns3::Packet>& frame);
    void serve();
    void sent();
    void timer();
    void plan_timer();
    void arrive(const ns3::Ptr<ns3::Packet>& frame);

    Settings settings_;
    std::unique_ptr<netsim::eee::Port> port_;
    Counters* counters_ = nullptr;
    std::function<double()> uniform_;
    ns3::Ptr<EeeCable> cable_;
    EeeNetDevice* peer_ = nullptr;
    ns3::Ptr<ns3::Node> node_;
    ns3::Mac48Address address_;
    std::uint32_t index_ = 0;
    std::uint16_t mtu_ = 1500;
    ReceiveCallback receive_;
    PromiscReceiveCallback promiscuous_;
    Filter filter_;
    Watcher watcher_;
    std::deque<ns3::Ptr<ns3::Packet>> waiting_;
    std::uint64_t waiting_bytes_ = 0;
    netsim::Time busy_ = 0;
    ns3::Ptr<ns3::Packet> on_wire_;
    ns3::Time last_arrival_;
    ns3::EventId timer_;
    ns3::Time timer_at_;
};

}  // namespace referee
