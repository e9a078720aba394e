#pragma once
/// Configurations for tests.

#include <nlohmann/json.hpp>
#include <string>

#include "netsim/config.hpp"
#include "netsim/random.hpp"

namespace netsim::test {

/// A two-rack cluster with standard EEE and deep buffers.
inline nlohmann::json document(int nodes = 6) {
    nlohmann::json d = nlohmann::json::parse(R"({
        "seed": 1,
        "topology": {"kind": "two-rack", "nodes": 6, "edge": "1g", "core": "10g"},
        "latency": {"edge_us": 1, "core_us": 1, "added_us": 0},
        "buffer_bytes": 10485760,
        "queue": {"kind": "drop-tail"},
        "eee": {"sleep_abort": false, "symmetric_lpi": false, "lpi_power": 0.1,
                "watts": {"100m": 0.25, "1g": 0.5, "10g": 2.5, "40g": 10},
                "edge": {"policy": "standard"}, "core": {"policy": "standard"}},
        "tcp": {"flavour": "newreno", "sack": true, "window_bytes": 65536, "mss": 1460, "initial_window": 10,
                "delayed_ack": 2, "delayed_ack_ms": 40, "rto_min_ms": 200, "rto_initial_ms": 1000,
                "reuse_connections": false, "syn_loss": true, "jitter_us": 0},
        "shuffle": {"mb_per_core": 1, "reducers_per_worker": 2, "copiers": 5}})");
    d["topology"]["nodes"] = nodes;
    return d;
}

inline nlohmann::json coalesce(double hold_us, int trigger) {
    return {{"policy", "coalesce"}, {"hold_us", hold_us}, {"trigger", trigger}};
}

/// Any configuration that is valid: every kind of everything turns up.
inline nlohmann::json random_document(Random& random) {
    // The choices as JSON texts: braces would leave it open what is a list and what an object.
    const auto one_of = [&random](const std::string& choices) {
        const nlohmann::json list = nlohmann::json::parse("[" + choices + "]");
        return list[random.below(list.size())];
    };
    nlohmann::json d = document();
    d["seed"] = random.below(1000000);
    if (random.below(4) == 0) {
        d["topology"] = {{"kind", "fat-tree"}, {"k", one_of(R"(2, 4, 6)")}, {"edge", "1g"}, {"core", "10g"}};
    } else {
        d["topology"]["nodes"] = 3 + random.below(12);
    }
    d["topology"]["edge"] = one_of(R"("100m", "1g", "10g")");
    d["topology"]["core"] = one_of(R"("1g", "10g", "40g")");
    d["latency"] = {
        {"edge_us", random.below(200)}, {"core_us", random.below(100)}, {"added_us", random.below(3)}};
    d["buffer_bytes"] = one_of(R"(3000, 20000, 131072, 10485760)");
    d["host_buffer_bytes"] = one_of(R"(0, 0, 131072)");
    d["queue"] = one_of(R"({"kind": "drop-tail"}, {"kind": "ecn", "mark_bytes": 30000},
        {"kind": "red", "min_bytes": 5000, "max_bytes": 50000, "probability": 0.1, "weight": 0.002, "ecn": true},
        {"kind": "red", "min_bytes": 5000, "max_bytes": 50000, "probability": 0.1, "weight": 0.002, "ecn": false})");
    for (const char* c : {"edge", "core"}) {
        d["eee"][c] = one_of(R"({"policy": "legacy"}, {"policy": "ideal"}, {"policy": "standard"},
            {"policy": "standard", "stall_us": 50}, {"policy": "coalesce", "hold_us": 12, "trigger": 10},
            {"policy": "coalesce", "hold_us": 120, "trigger": 100},
            {"policy": "coalesce", "hold_us": 1000, "trigger": 20000, "unit": "bytes", "from": "lpi"},
            {"policy": "adaptive", "delay_bound_us": 50})");
    }
    const nlohmann::json& policy = d["eee"]["core"]["policy"];
    if (d["topology"]["core"] == "40g" && policy != "legacy" && policy != "ideal") {
        d["eee"]["core"]["mode"] = one_of(R"("fast-wake", "deep", "dual")");
    }
    d["eee"]["sleep_abort"] = random.below(2) == 0;
    d["eee"]["wake_on_full"] = d["seed"].get<int>() % 2 == 0;
    d["eee"]["symmetric_lpi"] = random.below(4) == 0;
    nlohmann::json& tcp = d["tcp"];
    tcp["flavour"] = one_of(R"("newreno", "cubic", "dctcp")");
    tcp["sack"] = random.below(4) != 0;
    tcp["window_bytes"] = one_of(R"(1460, 8000, 65536, 1048576)");
    tcp["mss"] = one_of(R"(536, 1460)");
    tcp["initial_window"] = one_of(R"(1, 2, 10)");
    tcp["delayed_ack"] = one_of(R"(1, 2)");
    tcp["reuse_connections"] = random.below(2) == 0;
    tcp["syn_loss"] = random.below(2) == 0;
    tcp["jitter_us"] = one_of(R"(0, 10)");
    d["shuffle"] = {{"mb_per_core", one_of(R"(0.01, 0.1, 0.5)")},
                    {"reducers_per_worker", 1 + random.below(2)},
                    {"copiers", 1 + random.below(6)}};
    return d;
}

inline Config config(const nlohmann::json& d) { return read_config(d, {"shuffle"}); }

}  // namespace netsim::test
