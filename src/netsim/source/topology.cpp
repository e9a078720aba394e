#include "netsim/topology.hpp"

namespace netsim {

namespace {
constexpr int kRacks = 2;
}

Topology::Topology(const TopologyConfig& config)
    : tree_(config.kind == TopologyConfig::Kind::fat_tree), hosts_(config.nodes), half_(config.k / 2) {
    for (int host = 0; host < hosts_; ++host) {
        add_cable(LinkClass::edge, host);
    }
    // A fat tree has k^3/4 cables in each of its two upper layers.
    const int cables = tree_ ? 2 * hosts_ : kRacks;
    for (int cable = 0; cable < cables; ++cable) {
        add_cable(LinkClass::core, -1);
    }
}

void Topology::add_cable(LinkClass link_class, int host) {
    links_.push_back({link_class, host >= 0, false, host});
    links_.push_back({link_class, false, host >= 0, host});
}

std::uint32_t Topology::edge_agg(int pod, int edge, int agg) const {
    return 2 * static_cast<std::uint32_t>(hosts_ + (pod * half_ + edge) * half_ + agg);
}

std::uint32_t Topology::agg_core(int pod, int agg, int core) const {
    return 2 * static_cast<std::uint32_t>(2 * hosts_ + (pod * half_ + agg) * half_ + core);
}

int Topology::rack_of(int host) const { return tree_ ? host / half_ : host % kRacks; }

Path Topology::path(int from, int to, std::uint64_t hash) const {
    Path path;
    path.add(up(from));
    const int rack_from = rack_of(from);
    const int rack_to = rack_of(to);
    if (rack_from != rack_to && !tree_) {
        path.add(2 * static_cast<std::uint32_t>(hosts_ + rack_from));
        path.add(2 * static_cast<std::uint32_t>(hosts_ + rack_to) + 1);
    } else if (rack_from != rack_to) {
        const int pod_from = rack_from / half_;
        const int pod_to = rack_to / half_;
        const int agg = static_cast<int>(hash % static_cast<std::uint64_t>(half_));
        const int core =
            static_cast<int>(hash / static_cast<std::uint64_t>(half_) % static_cast<std::uint64_t>(half_));
        path.add(edge_agg(pod_from, rack_from % half_, agg));
        if (pod_from != pod_to) {
            path.add(agg_core(pod_from, agg, core));
            path.add(agg_core(pod_to, agg, core) + 1);
        }
        path.add(edge_agg(pod_to, rack_to % half_, agg) + 1);
    }
    path.add(down(to));
    return path;
}

std::string Topology::name(std::uint32_t link) const {
    const std::string way = link % 2 == 0 ? ".up" : ".down";
    const int cable = static_cast<int>(link / 2);
    if (cable < hosts_) {
        return "host" + std::to_string(cable) + way;
    }
    return (tree_ ? "cable" : "rack") + std::to_string(cable - hosts_) + way;
}

}  // namespace netsim
