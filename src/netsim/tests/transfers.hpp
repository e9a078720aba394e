#pragma once
/// Transfers on a small network, for tests.

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "documents.hpp"
#include "netsim/fabric.hpp"

namespace netsim::test {

/// Runs transfers to their end and until the network is quiet.
class Bench final : public TransferDone {
  public:
    explicit Bench(const nlohmann::json& d) : fabric(config(d)) {}

    void fetch(int client, int server, std::uint64_t bytes) {
        fabric.fetch(fabric.clock().now(), client, server, bytes, *this, expected++);
    }
    void on_transfer(Time now, std::uint64_t tag) override {
        done[tag].push_back(now);
        if (then) {
            then(tag);
        }
    }
    /// Seconds at which the transfer of that number was complete; fails if it was not, or more than once.
    double end_of(std::uint64_t tag) const {
        return done.count(tag) == 1 && done.at(tag).size() == 1 ? to_seconds(done.at(tag)[0]) : -1;
    }
    const tcp::Counters& counters() { return fabric.tcp().counters(); }

    Fabric fabric;
    std::uint64_t expected = 0;
    std::map<std::uint64_t, std::vector<Time>> done;
    std::function<void(std::uint64_t)> then;
};

/// Loses packets that come to the first link of a way: those of which `which(packet, times seen)` is true.
inline void lose_first(Bench& bench, std::function<bool(const Packet&, int)> which) {
    auto seen = std::make_shared<std::map<std::pair<std::uint32_t, std::uint8_t>, int>>();
    bench.fabric.network().lose([which = std::move(which), seen](std::uint32_t /*link*/,
                                                                 const Packet& packet) {
        if ((packet.hop & ~kFromServer) != 0) {
            return false;
        }
        const auto key = std::pair(
            packet.number,
            static_cast<std::uint8_t>((packet.flags & (kSyn | kAck | kData)) | (packet.hop & kFromServer)));
        return which(packet, (*seen)[key]++);
    });
}

inline bool is_segment(const Packet& packet) {
    return (packet.flags & kData) != 0 && (packet.hop & kFromServer) != 0;
}

}  // namespace netsim::test
