#pragma once
/// Transfers over ns-3's TCP, as a shuffle makes them: the client connects and asks, the server answers and
/// closes.

#include <ns3/ipv4-address.h>
#include <ns3/node.h>
#include <ns3/packet.h>
#include <ns3/socket.h>
#include <ns3/tcp-socket-base.h>

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "netsim/config.hpp"

namespace referee {

/// Sets ns-3's defaults; to be called before any node exists.
void use(const netsim::TcpConfig& settings);

/// Counters of all connections of a run.
struct TcpCounters {
    std::uint64_t timeouts =
        0;                    ///< retransmission timers that ran out, those of connection requests included
    std::uint64_t bytes = 0;  ///< payload that clients have received
};

/// A TCP socket that counts its timeouts.
class CountingSocket : public ns3::TcpSocketBase {
  public:
    static ns3::TypeId GetTypeId();
    /// A new socket on `node`. `counters` must outlive it and what it accepts.
    static ns3::Ptr<CountingSocket> make(const ns3::Ptr<ns3::Node>& node, const netsim::TcpConfig& settings,
                                         TcpCounters& counters);

  protected:
    void ReTxTimeout() override;
    ns3::Ptr<ns3::TcpSocketBase> Fork() override;

  private:
    void guard_window();
    std::uint32_t window_of_whole_segments() const;

    TcpCounters* counters_ = nullptr;
};

/// All transfers of a run.
class Transfers {
  public:
    using Done = std::function<void()>;

    /// `nodes` are the hosts, `addresses` theirs; one server listens on each.
    Transfers(std::vector<ns3::Ptr<ns3::Node>> nodes, std::vector<ns3::Ipv4Address> addresses,
              const netsim::TcpConfig& settings);
    Transfers(const Transfers&) = delete;
    Transfers& operator=(const Transfers&) = delete;

    /// Has `client` ask `server` for `bytes` bytes, now. `done` is called when the last one has arrived in
    /// order.
    void fetch(std::size_t client, std::size_t server, std::uint64_t bytes, Done done);

    const TcpCounters& counters() const { return counters_; }
    /// The client's port of each transfer, in the order of the calls of `fetch`.
    const std::vector<std::uint16_t>& client_ports() const { return ports_; }

  private:
    struct Client {
        std::uint64_t left = 0;
        Done done;
    };
    struct Server {
        std::uint64_t request_left = 0;
        std::uint64_t answer_left = 0;
    };

    void accept(ns3::Ptr<ns3::Socket> socket, const ns3::Address& from);
    void serve(ns3::Ptr<ns3::Socket> socket);
    void answer(ns3::Ptr<ns3::Socket> socket, std::uint32_t room);
    void connected(ns3::Ptr<ns3::Socket> socket);
    void take(ns3::Ptr<ns3::Socket> socket);

    std::vector<ns3::Ptr<ns3::Node>> nodes_;
    std::vector<ns3::Ipv4Address> addresses_;
    netsim::TcpConfig settings_;
    TcpCounters counters_;
    std::vector<std::uint16_t> ports_;
    std::vector<ns3::Ptr<ns3::Socket>> listening_;
    std::unordered_map<std::uint64_t, std::uint64_t> asked_;  // bytes, by the client's address and port
    std::unordered_map<ns3::Socket*, Client> clients_;
    std::unordered_map<ns3::Socket*, Server> servers_;
};

}  // namespace referee
