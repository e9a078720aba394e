#pragma once
/// Minimum cost flow in a small graph, by successive shortest paths with potentials (Ahuja, Magnanti, Orlin:
/// Network Flows, 1993, section 9.7). Costs and capacities are whole numbers, so that ties are ties on any
/// machine.

#include <cstdint>
#include <vector>

namespace netsim::mapreduce {

class MinCostFlow {
  public:
    using Amount = std::int64_t;

    explicit MinCostFlow(int nodes) : out_(static_cast<std::size_t>(nodes)) {}

    /// Adds an arc; returns its number. Costs may be negative, but no cycle of the graph may have a negative
    /// cost.
    int add_arc(int from, int to, Amount capacity, Amount cost);

    struct Result {
        Amount flow = 0;
        Amount cost = 0;
    };
    /// Sends flow from `source` to `sink` along cheapest paths: as much as fits or, with `while_negative`, as
    /// long as one more unit lowers the cost. At most `limit` units.
    Result solve(int source, int sink, Amount limit, bool while_negative);

    /// Flow on an arc.
    Amount flow(int arc) const { return arcs_[static_cast<std::size_t>(arc) * 2 + 1].capacity; }

  private:
    struct Arc {
        int to;
        Amount capacity;  ///< what is left of it
        Amount cost;
    };
    void first_potentials(int source);
    bool cheapest_path(int source, int sink);

    std::vector<std::vector<int>> out_;  ///< numbers into arcs_; arc 2i+1 is the reverse of 2i
    std::vector<Arc> arcs_;
    std::vector<Amount> potential_;
    std::vector<Amount> distance_;
    std::vector<int> arrived_by_;
};

}  // namespace netsim::mapreduce
