#include "netsim/config.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "netsim/error.hpp"
#include "netsim/packet.hpp"

namespace netsim {
namespace {

constexpr double kMostBytes = 1e12;
constexpr double kMostSeconds = 1e4;

Time read_us(Fields& fields, std::string_view key, std::optional<double> otherwise = {}) {
    return microseconds(fields.number(key, Range::between(0, kMostSeconds * 1e6), otherwise));
}

Time read_ms(Fields& fields, std::string_view key, double min = 0) {
    return milliseconds(fields.number(key, Range::between(min, kMostSeconds * 1e3)));
}

eee::Speed read_speed(Fields& fields, std::string_view key) {
    return *eee::find_speed(fields.choice(key, {"100m", "1g", "10g", "40g"}));
}

TopologyConfig read_topology(Fields fields) {
    constexpr double kMostNodes = 65536;
    constexpr double kMostPorts = 64;
    TopologyConfig topology;
    if (fields.choice("kind", {"two-rack", "fat-tree"}) == "two-rack") {
        topology.kind = TopologyConfig::Kind::two_rack;
        topology.nodes = static_cast<int>(fields.integer("nodes", Range::between(2, kMostNodes)));
    } else {
        topology.kind = TopologyConfig::Kind::fat_tree;
        topology.k = static_cast<int>(fields.integer("k", Range::between(2, kMostPorts)));
        if (topology.k % 2 != 0) {
            fields.fail("k", "an even number");
        }
        topology.nodes = topology.k * topology.k * topology.k / 4;
    }
    topology.speed = {read_speed(fields, "edge"), read_speed(fields, "core")};
    fields.finish();
    return topology;
}

QueueConfig read_queue(Fields fields) {
    QueueConfig queue;
    const std::string kind = fields.choice("kind", {"drop-tail", "ecn", "red"});
    if (kind == "ecn") {
        queue.kind = QueueConfig::Kind::ecn;
        queue.mark_bytes =
            static_cast<std::uint64_t>(fields.integer("mark_bytes", Range::between(0, kMostBytes)));
    } else if (kind == "red") {
        queue.kind = QueueConfig::Kind::red;
        queue.min_bytes =
            static_cast<std::uint64_t>(fields.integer("min_bytes", Range::between(0, kMostBytes)));
        queue.max_bytes =
            static_cast<std::uint64_t>(fields.integer("max_bytes", Range::between(1, kMostBytes)));
        if (queue.max_bytes <= queue.min_bytes) {
            fields.fail("max_bytes", "more than min_bytes");
        }
        queue.probability = fields.number("probability", {0, 1, false});
        queue.weight = fields.number("weight", {0, 1, false});
        queue.ecn = fields.boolean("ecn");
    }
    fields.finish();
    return queue;
}

EeeConfig read_eee(Fields fields, const TopologyConfig& topology) {
    EeeConfig eee;
    eee.sleep_abort = fields.boolean("sleep_abort");
    eee.symmetric_lpi = fields.boolean("symmetric_lpi");
    eee.wake_on_full = fields.boolean("wake_on_full", eee.wake_on_full);
    eee.lpi_power = fields.number("lpi_power", Range::between(0, 1));
    Fields watts = fields.object("watts");
    for (const eee::Speed& speed : eee::kSpeeds) {
        if (watts.has(speed.name)) {
            watts.number(speed.name, Range::at_least(0));
        }
    }
    for (const LinkClass c : kLinkClasses) {
        eee.watts[index_of(c)] = watts.number(topology.speed[index_of(c)].name, Range::at_least(0));
        eee.policy[index_of(c)] = read_policy(fields.object(name_of(c)), topology.speed[index_of(c)]);
    }
    watts.finish();
    fields.finish();
    return eee;
}

TcpConfig read_tcp(Fields fields) {
    constexpr double kLeastSegment = 64;
    constexpr double kMostSegment = 9000;
    constexpr double kMostWindow = 16777216;
    TcpConfig tcp;
    const std::string flavour = fields.choice("flavour", {"newreno", "cubic", "dctcp"});
    tcp.flavour = flavour == "newreno" ? TcpConfig::Flavour::newreno
                  : flavour == "cubic" ? TcpConfig::Flavour::cubic
                                       : TcpConfig::Flavour::dctcp;
    const auto number = [&fields](std::string_view key, double min, double max) {
        return static_cast<std::uint32_t>(fields.integer(key, Range::between(min, max)));
    };
    tcp.sack = fields.boolean("sack");
    tcp.mss = number("mss", kLeastSegment, kMostSegment);
    tcp.window_bytes = number("window_bytes", tcp.mss, kMostWindow);
    constexpr std::uint32_t kMostSegments = 65535;  // what a SACK block in a packet can tell
    if (tcp.window_bytes / tcp.mss > kMostSegments) {
        fields.fail("window_bytes", "at most " + std::to_string(kMostSegments) + " segments of tcp.mss");
    }
    tcp.initial_window = number("initial_window", 1, 1000);
    tcp.delayed_ack = number("delayed_ack", 1, 16);
    tcp.delayed_ack_time = read_ms(fields, "delayed_ack_ms");
    tcp.rto_min = read_ms(fields, "rto_min_ms", 0.001);
    tcp.rto_initial = read_ms(fields, "rto_initial_ms", 0.001);
    tcp.reuse_connections = fields.boolean("reuse_connections");
    tcp.syn_loss = fields.boolean("syn_loss");
    tcp.jitter = read_us(fields, "jitter_us");
    tcp.request_bytes = static_cast<std::uint32_t>(
        fields.integer("request_bytes", Range::between(1, tcp.mss), std::min<std::int64_t>(200, tcp.mss)));
    fields.finish();
    return tcp;
}

}  // namespace

PolicyConfig read_policy(Fields fields, const eee::Speed& speed) {
    using Kind = PolicyConfig::Kind;
    PolicyConfig policy;
    const std::string kind = fields.choice("policy", {"legacy", "ideal", "standard", "coalesce", "adaptive"});
    policy.stall = read_us(fields, "stall_us", 0);
    const bool sleeps = kind != "legacy" && kind != "ideal";
    if (!sleeps && policy.stall != 0) {
        fields.fail("stall_us", "0 for policy " + kind);
    }
    if (kind == "legacy") {
        policy.kind = Kind::legacy;
    } else if (kind == "ideal") {
        policy.kind = Kind::ideal;
    } else if (kind == "coalesce") {
        policy.kind = Kind::coalesce;
        policy.hold = read_us(fields, "hold_us");
        policy.trigger = static_cast<std::uint64_t>(fields.integer("trigger", Range::between(1, kMostBytes)));
        policy.trigger_bytes = fields.choice("unit", {"packets", "bytes"}, "packets") == "bytes";
        policy.hold_from_lpi = fields.choice("from", {"arrival", "lpi"}, "arrival") == "lpi";
    } else if (kind == "adaptive") {
        policy.kind = Kind::adaptive;
        policy.delay_bound = microseconds(fields.number("delay_bound_us", {0, kMostSeconds * 1e6, false}));
    }
    if (speed.dual && sleeps) {
        const std::string mode = fields.choice("mode", {"fast-wake", "deep", "dual"}, "deep");
        policy.depth = mode == "deep"        ? eee::Depth::deep
                       : mode == "fast-wake" ? eee::Depth::fast_wake
                                             : eee::Depth::dual;
        if (policy.depth == eee::Depth::dual) {
            policy.dwell = read_us(fields, "dwell_us", 10);
        }
    }
    fields.finish();
    return policy;
}

std::uint64_t full_bytes(std::uint64_t buffer, const TcpConfig& tcp) {
    const std::uint64_t frame = tcp.mss + kHeads;
    return buffer < frame ? 0 : buffer - frame + 1;
}

eee::PortSettings port_settings(const PolicyConfig& policy, const EeeConfig& eee, const eee::Speed& speed) {
    using Kind = PolicyConfig::Kind;
    eee::Speed scaled = speed;
    scaled.lpi.power = eee.lpi_power;
    if (!scaled.dual) {
        scaled.fast_wake.power = eee.lpi_power;
    }
    eee::PortSettings settings = eee::PortSettings::with_speed(scaled, policy.depth);
    settings.sleep_abort = eee.sleep_abort;
    settings.stall = policy.stall;
    settings.dwell = policy.dwell;
    switch (policy.kind) {
        case Kind::legacy:
            return eee::PortSettings::legacy(scaled);
        case Kind::ideal:
            return eee::PortSettings::ideal(scaled);
        case Kind::standard:
        case Kind::adaptive:  // begins as standard
            break;
        case Kind::coalesce:
            settings.hold = policy.hold;
            settings.trigger = policy.trigger;
            settings.trigger_bytes = policy.trigger_bytes;
            settings.hold_from_lpi = policy.hold_from_lpi;
            break;
    }
    return settings;
}

Config read_config(const nlohmann::json& document, const std::vector<std::string>& others) {
    Fields fields(document, "");
    for (const std::string& name : others) {
        fields.leave(name);
    }
    Config config;
    config.seed = static_cast<std::uint64_t>(fields.integer("seed", Range::at_least(0)));
    config.topology = read_topology(fields.object("topology"));
    Fields latency = fields.object("latency");
    const Time added = read_us(latency, "added_us");
    config.latency = {read_us(latency, "edge_us") + added, read_us(latency, "core_us") + added};
    latency.finish();
    config.tcp = read_tcp(fields.object("tcp"));
    const double frame = config.tcp.mss + kHeads;  // the largest one must fit
    config.buffer_bytes =
        static_cast<std::uint64_t>(fields.integer("buffer_bytes", Range::between(frame, kMostBytes)));
    config.host_buffer_bytes =
        static_cast<std::uint64_t>(fields.integer("host_buffer_bytes", Range::between(0, kMostBytes), 0));
    if (config.host_buffer_bytes != 0 && static_cast<double>(config.host_buffer_bytes) < frame) {
        fields.fail("host_buffer_bytes", "0 or room for a frame");
    }
    config.queue = read_queue(fields.object("queue"));
    config.eee = read_eee(fields.object("eee"), config.topology);
    config.tcp.ecn = config.queue.kind == QueueConfig::Kind::ecn || config.queue.ecn;
    fields.finish();
    return config;
}

}  // namespace netsim
