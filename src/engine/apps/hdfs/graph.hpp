#pragma once
// Part of a graph on one A rank, and the exchange of ranks of vertices: the names of targets travel once,
// then in each iteration one number per target and rank (Iteration mode: the graph stays where it is).

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kvasir/mpi.hpp"

namespace kvasir::jobs {

using Vertex = std::uint32_t;
using Edge = std::pair<Vertex, Vertex>;  ///< source, target

class Graph {
  public:
    /// Returns the A rank of a vertex: the part that Hadoop puts it in.
    static int owner(Vertex vertex, int ranks) {
        return static_cast<int>((vertex & 0x7fffffffU) % static_cast<Vertex>(ranks));
    }

    /// `edges`: all whose source is this rank's. Vertices are those that an edge names. Collective.
    Graph(const Communicator& comm, std::vector<Edge> edges);

    /// Passes the ranks on once. Damping is 0.85; the rank of vertices without targets is spread over all.
    /// Collective.
    void iterate();

    const std::vector<Vertex>& vertices() const { return vertices_; }  ///< of this rank, in order
    const std::vector<double>& ranks() const { return ranks_; }
    std::uint64_t vertices_of_all() const { return vertices_of_all_; }

  private:
    std::size_t index_of(Vertex vertex) const;
    void tell_targets(const std::vector<Edge>& edges);

    const Communicator& comm_;
    std::vector<Vertex> vertices_;
    std::vector<double> ranks_;
    std::uint64_t vertices_of_all_ = 0;
    std::vector<std::size_t> first_;    ///< vertex i has the targets first_[i] to first_[i + 1]
    std::vector<std::size_t> targets_;  ///< places in what is sent
    std::vector<std::size_t> takers_;   ///< place in `vertices_` of what is received
    std::vector<int> send_counts_;
    std::vector<int> send_places_;
    std::vector<int> receive_counts_;
    std::vector<int> receive_places_;
};

}  // namespace kvasir::jobs
