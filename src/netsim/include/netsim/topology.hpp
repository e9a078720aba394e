#pragma once
/// Hosts, switches and the links between them.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "netsim/config.hpp"

namespace netsim {

/// One direction of a cable. The other direction of link l is l ^ 1.
struct LinkPlace {
    LinkClass link_class;
    bool from_host;
    bool to_host;
    int host;  ///< at one of its ends, or -1
};

/// The links from one host to another.
struct Path {
    static constexpr std::size_t kMost = 6;
    std::array<std::uint32_t, kMost> links{};
    std::uint32_t length = 0;

    void add(std::uint32_t link) { links[length++] = link; }
};

/// Numbers the links of a topology and finds paths. Links of host h: 2h from it, 2h + 1 to it.
class Topology {
  public:
    explicit Topology(const TopologyConfig& config);

    int hosts() const { return hosts_; }
    const std::vector<LinkPlace>& links() const { return links_; }
    /// Returns the path of a flow; where there are several, `hash` chooses (equal-cost multipath by flow).
    Path path(int from, int to, std::uint64_t hash) const;
    int rack_of(int host) const;
    /// Returns the name of a link in traces: "host 3 up", "rack 1 down", ...
    std::string name(std::uint32_t link) const;

  private:
    std::uint32_t up(int host) const { return 2 * static_cast<std::uint32_t>(host); }
    std::uint32_t down(int host) const { return up(host) + 1; }
    /// Fat tree: cable between edge switch `edge` of `pod` and its aggregation switch `agg`, upwards.
    std::uint32_t edge_agg(int pod, int edge, int agg) const;
    /// Fat tree: cable between aggregation switch `agg` of `pod` and core switch `core` of its group,
    /// upwards.
    std::uint32_t agg_core(int pod, int agg, int core) const;
    void add_cable(LinkClass link_class, int host);

    bool tree_;
    int hosts_;
    int half_;  // k / 2
    std::vector<LinkPlace> links_;
};

}  // namespace netsim
