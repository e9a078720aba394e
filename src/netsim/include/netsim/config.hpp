#pragma once
/// Configuration of the simulator's core.

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "netsim/eee/settings.hpp"
#include "netsim/eee/speed.hpp"
#include "netsim/fields.hpp"
#include "netsim/time.hpp"

namespace netsim {

/// Links to hosts, and links between switches.
enum class LinkClass : std::uint8_t { edge, core };
inline constexpr std::array<LinkClass, 2> kLinkClasses{LinkClass::edge, LinkClass::core};
constexpr std::string_view name_of(LinkClass c) { return c == LinkClass::edge ? "edge" : "core"; }
constexpr std::size_t index_of(LinkClass c) { return static_cast<std::size_t>(c); }

struct TopologyConfig {
    enum class Kind : std::uint8_t { two_rack, fat_tree };
    Kind kind = Kind::two_rack;
    int nodes = 24;                                                     ///< hosts; of a fat tree k^3/4
    int k = 0;                                                          ///< ports of a fat tree's switches
    std::array<eee::Speed, 2> speed{eee::kSpeeds[1], eee::kSpeeds[2]};  ///< by link class
};

/// Energy policy of the links of one class.
struct PolicyConfig {
    enum class Kind : std::uint8_t { legacy, ideal, standard, coalesce, adaptive };
    Kind kind = Kind::standard;
    Time stall = 0;
    Time hold = 0;
    std::uint64_t trigger = 1;
    bool trigger_bytes = false;
    bool hold_from_lpi = false;
    Time delay_bound = 0;  ///< adaptive: mean delay that the port may add
    eee::Depth depth = eee::Depth::deep;
    Time dwell = 0;  ///< dual mode: fast wake before deep sleep
};

struct EeeConfig {
    bool sleep_abort = false;
    bool symmetric_lpi = false;
    bool wake_on_full = false;  ///< a port that holds frames wakes when its buffer has no room for another
    double lpi_power = 0.1;
    std::array<PolicyConfig, 2> policy;  ///< by link class
    std::array<double, 2> watts{};       ///< of an active port, by link class
};

/// Queue discipline of a port: drop-tail, ECN marking or RED.
struct QueueConfig {
    enum class Kind : std::uint8_t { drop_tail, ecn, red };
    Kind kind = Kind::drop_tail;
    std::uint64_t mark_bytes = 0;  ///< ecn: queue from which packets are marked
    std::uint64_t min_bytes = 0;   ///< red: mean queue below which nothing happens
    std::uint64_t max_bytes = 0;   ///< red: and from which every packet is marked or dropped
    double probability = 0;        ///< red: at `max_bytes`
    double weight = 0;             ///< red: of the newest queue length in the mean
    bool ecn = false;              ///< red: marks what can be marked
};

struct TcpConfig {
    enum class Flavour : std::uint8_t { newreno, cubic, dctcp };
    Flavour flavour = Flavour::newreno;
    bool sack = true;
    bool ecn = false;  ///< follows from the queue: endpoints negotiate it if ports mark
    std::uint32_t window_bytes = 65536;
    std::uint32_t mss = 1460;
    std::uint32_t initial_window = 10;
    std::uint32_t delayed_ack = 2;
    Time delayed_ack_time = 40 * kMillisecond;
    Time rto_min = 200 * kMillisecond;
    Time rto_initial = kSecond;
    Time rto_max = 60 * kSecond;
    bool reuse_connections = false;
    bool syn_loss = true;
    Time jitter = 10 * kMicrosecond;
    std::uint32_t request_bytes = 200;
};

struct Config {
    std::uint64_t seed = 1;
    TopologyConfig topology;
    std::array<Time, 2> latency{};  ///< of a link, by class, the added one included
    std::uint64_t buffer_bytes = 131072;
    std::uint64_t host_buffer_bytes = 0;  ///< of a host's port; 0: a host holds back what it cannot send
    QueueConfig queue;
    EeeConfig eee;
    TcpConfig tcp;
};

/// Parses the core's part of a document. `others` are the top-level objects that other parts parse. Throws
/// ConfigError.
Config read_config(const nlohmann::json& document, const std::vector<std::string>& others);

/// Parses the policy of one link class.
PolicyConfig read_policy(Fields fields, const eee::Speed& speed);

/// Returns the held bytes at which a buffer of `buffer` bytes has no room left for a largest frame.
std::uint64_t full_bytes(std::uint64_t buffer, const TcpConfig& tcp);

/// Returns the port settings of a policy.
eee::PortSettings port_settings(const PolicyConfig& policy, const EeeConfig& eee, const eee::Speed& speed);

}  // namespace netsim
