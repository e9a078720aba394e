#pragma once
/// Simulated cluster that workloads run on: simulator, network and TCP.

#include <cstdint>
#include <vector>

#include "netsim/config.hpp"
#include "netsim/network.hpp"
#include "netsim/report.hpp"
#include "netsim/simulator.hpp"
#include "netsim/tcp/tcp.hpp"
#include "netsim/transfers.hpp"

namespace netsim {

class Fabric final : public Transfers {
  public:
    explicit Fabric(const Config& config);

    /// See Transfers. A host's transfer from itself takes no time.
    void fetch(Time now, int client, int server, std::uint64_t bytes, TransferDone& to,
               std::uint64_t tag) override;

    Simulator& clock() { return simulator_; }
    Network& network() { return network_; }
    tcp::Tcp& tcp() { return tcp_; }
    const Config& config() const { return config_; }

    /// Runs until no event is pending or clock().stop() is called.
    void run();

    /// Adds the metrics of the network from 0 to `end`, the time at which the run was stopped: energy, time
    /// by state, utilisation, packets, losses, delays. `watts` of the configuration give joules.
    void report(Report& report, Time end);

  private:
    /// Completes transfers that never leave their host.
    class Loopback final : public Handler {
      public:
        std::uint64_t add(TransferDone& to, std::uint64_t tag);
        void on_event(Time now, std::uint64_t argument) override;

      private:
        struct Waiting {
            TransferDone* to;
            std::uint64_t tag;
        };
        std::vector<Waiting> waiting_;
        std::vector<std::uint64_t> free_;
    };

    template <bool many>
    void dispatch(EventKind kind, std::uint32_t index);

    Config config_;
    Simulator simulator_;
    Network network_;
    tcp::Tcp tcp_;
    Loopback loopback_;
};

/// Measures wall time, CPU time and memory of this process from construction on.
class Usage {
  public:
    Usage();
    /// Adds `sim.wall`, `sim.cpu`, `sim.memory` and, for `hops` packet-hops, `sim.rate`.
    void report(Report& report, std::uint64_t hops) const;

  private:
    double wall_;
    double cpu_;
};

}  // namespace netsim
