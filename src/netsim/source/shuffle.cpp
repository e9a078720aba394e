#include "netsim/shuffle.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "netsim/error.hpp"

namespace netsim {

ShuffleConfig read_shuffle(const nlohmann::json& document) {
    constexpr double kMostMegabytes = 1e6;
    Fields top(document, "");
    Fields fields = top.object("shuffle");
    ShuffleConfig shuffle;
    shuffle.mb_per_core = fields.number("mb_per_core", {0, kMostMegabytes, false});
    shuffle.cores_per_worker =
        static_cast<int>(fields.integer("cores_per_worker", Range::between(1, 1024), 2));
    shuffle.reducers_per_worker =
        static_cast<int>(fields.integer("reducers_per_worker", Range::between(1, 1024)));
    shuffle.copiers = static_cast<int>(fields.integer("copiers", Range::between(1, 100000)));
    fields.finish();
    return shuffle;
}

Shuffle::Shuffle(const ShuffleConfig& config, Fabric& fabric) : fabric_(fabric), copiers_(config.copiers) {
    constexpr double kMebibyte = 1048576;
    const int first = fabric.config().topology.kind == TopologyConfig::Kind::two_rack ? 1 : 0;
    const int hosts = fabric.config().topology.nodes;
    const int workers = hosts - first;
    if (workers < 2) {
        throw ConfigError("topology.nodes: found " + std::to_string(hosts) + ", expected " +
                          std::to_string(first + 2) + " or more: a shuffle needs two workers");
    }
    const int reducers = workers * config.reducers_per_worker;
    bytes_per_fetch_ =
        static_cast<std::uint64_t>(config.mb_per_core * kMebibyte * config.cores_per_worker / reducers);
    Random random(fabric.config().seed, 2);
    for (int host = first; host < hosts; ++host) {
        for (int r = 0; r < config.reducers_per_worker; ++r) {
            Reducer reducer{host, {}, 0};
            for (int server = first; server < hosts; ++server) {
                if (server != host) {
                    reducer.servers.push_back(server);
                }
            }
            for (std::size_t i = reducer.servers.size(); i > 1; --i) {
                std::swap(reducer.servers[i - 1], reducer.servers[random.below(i)]);
            }
            reducers_.push_back(std::move(reducer));
        }
    }
}

void Shuffle::start() {
    for (std::size_t reducer = 0; reducer < reducers_.size(); ++reducer) {
        for (int copier = 0; copier < copiers_; ++copier) {
            fetch_next(0, reducer);
        }
    }
}

void Shuffle::fetch_next(Time now, std::size_t reducer) {
    Reducer& r = reducers_[reducer];
    if (r.next < r.servers.size()) {
        ++open_;
        fabric_.fetch(now, r.host, r.servers[r.next++], bytes_per_fetch_, *this, reducer);
    }
}

void Shuffle::on_transfer(Time now, std::uint64_t tag) {
    ++transfers_;
    --open_;
    fetch_next(now, tag);
    if (open_ == 0) {
        end_ = now;
        fabric_.clock().stop();
    }
}

}  // namespace netsim
