#pragma once
/// TCP scenarios that both simulators run, so that their answers can be compared flow by flow.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace referee {

/// One transfer: `client` asks `server` for `bytes` bytes at time 0.
struct ScenarioFlow {
    int client;
    int server;
    std::uint64_t bytes;
};

/// The segment that begins `segment` full segments after the first answered byte is lost when the server
/// sends it for the first time, and the next `times - 1` times.
struct ScenarioLoss {
    int flow;
    std::uint64_t segment;
    int times;
};

struct Scenario {
    std::vector<ScenarioFlow> flows;
    std::vector<ScenarioLoss> losses;
};

/// All scenarios by name. The network of the configuration needs 42 nodes; hosts 1 and 2 are in different
/// racks.
inline std::map<std::string, Scenario> scenarios() {
    constexpr std::uint64_t megabyte = 1'000'000;
    constexpr int senders = 40;
    constexpr std::uint64_t last_segment = 684;  // of 1460 bytes each
    const ScenarioFlow one{2, 1, megabyte};
    std::map<std::string, Scenario> all;
    all["no-loss"] = {{one}, {}};
    all["one-loss"] = {{one}, {{0, 100, 1}}};
    all["first-loss"] = {{one}, {{0, 0, 1}}};
    all["lost-again"] = {{one}, {{0, 100, 2}}};
    all["tail-loss"] = {{one}, {{0, last_segment, 1}}};
    Scenario burst{{one}, {}};
    for (std::uint64_t segment = 100; segment < 110; ++segment) {
        burst.losses.push_back({0, segment, 1});
    }
    all["burst-loss"] = burst;
    Scenario incast;
    for (int i = 0; i < senders; ++i) {
        incast.flows.push_back({1, 2 + i, 100'000});
    }
    all["incast"] = incast;
    for (auto& flow : incast.flows) {
        flow.bytes = 14'600;  // the initial window and no more: what is lost at the end of it costs a timeout
    }
    all["short-incast"] = incast;
    return all;
}

}  // namespace referee
