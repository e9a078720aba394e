#include "graph.hpp"

#include <algorithm>
#include <climits>

#include "kvasir/error.hpp"
#include "kvasir/wait.hpp"

namespace kvasir::jobs {
namespace {

constexpr double kDamping = 0.85;

/// Begins of pieces of these sizes; throws Error where MPI cannot count them.
std::vector<int> places_of(const std::vector<int>& sizes, std::size_t& total) {
    std::vector<int> places;
    total = 0;
    for (const int size : sizes) {
        if (total > INT_MAX) {
            throw Error("more than 2^31 targets of one rank; use more A ranks");
        }
        places.push_back(static_cast<int>(total));
        total += static_cast<std::size_t>(size);
    }
    return places;
}

}  // namespace

Graph::Graph(const Communicator& comm, std::vector<Edge> edges) : comm_(comm) {
    std::sort(edges.begin(), edges.end());
    tell_targets(edges);
    first_.assign(vertices_.size() + 1, 0);
    for (const Edge& edge : edges) {
        ++first_[index_of(edge.first) + 1];
    }
    for (std::size_t i = 1; i < first_.size(); ++i) {
        first_[i] += first_[i - 1];
    }
    vertices_of_all_ = sum_over_ranks(comm_, std::uint64_t{vertices_.size()});
    ranks_.assign(vertices_.size(), 1.0 / static_cast<double>(std::max<std::uint64_t>(vertices_of_all_, 1)));
}

std::size_t Graph::index_of(Vertex vertex) const {
    return static_cast<std::size_t>(std::lower_bound(vertices_.begin(), vertices_.end(), vertex) -
                                    vertices_.begin());
}

/// Each owner learns which of its vertices the others will send shares for, and so which vertices there are.
void Graph::tell_targets(const std::vector<Edge>& edges) {
    const int ranks = comm_.size();
    std::vector<std::vector<Vertex>> lists(static_cast<std::size_t>(ranks));
    for (const Edge& edge : edges) {
        lists[static_cast<std::size_t>(owner(edge.second, ranks))].push_back(edge.second);
    }
    std::vector<Vertex> sent;
    for (auto& list : lists) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        send_counts_.push_back(static_cast<int>(list.size()));
        sent.insert(sent.end(), list.begin(), list.end());
    }
    std::size_t total = 0;
    send_places_ = places_of(send_counts_, total);
    receive_counts_.resize(send_counts_.size());
    complete("MPI_Ialltoall", MPI_Ialltoall, send_counts_.data(), 1, MPI_INT, receive_counts_.data(), 1,
             MPI_INT, comm_.get());
    receive_places_ = places_of(receive_counts_, total);
    std::vector<Vertex> received(total);
    complete("MPI_Ialltoallv", MPI_Ialltoallv, sent.data(), send_counts_.data(), send_places_.data(),
             MPI_UINT32_T, received.data(), receive_counts_.data(), receive_places_.data(), MPI_UINT32_T,
             comm_.get());
    vertices_ = received;
    for (const Edge& edge : edges) {
        if (vertices_.empty() || vertices_.back() != edge.first) {
            vertices_.push_back(edge.first);
        }
    }
    std::sort(vertices_.begin(), vertices_.end());
    vertices_.erase(std::unique(vertices_.begin(), vertices_.end()), vertices_.end());
    for (const Vertex vertex : received) {
        takers_.push_back(index_of(vertex));
    }
    for (const Edge& edge : edges) {
        const auto to = static_cast<std::size_t>(owner(edge.second, ranks));
        const auto place =
            std::lower_bound(lists[to].begin(), lists[to].end(), edge.second) - lists[to].begin();
        targets_.push_back(static_cast<std::size_t>(send_places_[to]) + static_cast<std::size_t>(place));
    }
}

void Graph::iterate() {
    std::size_t slots = 0;
    (void)places_of(send_counts_, slots);
    std::vector<double> shares(slots);
    double lost = 0;  // the rank of vertices without targets
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
        const std::size_t degree = first_[i + 1] - first_[i];
        if (degree == 0) {
            lost += ranks_[i];
            continue;
        }
        const double share = ranks_[i] / static_cast<double>(degree);
        for (std::size_t t = first_[i]; t < first_[i + 1]; ++t) {
            shares[targets_[t]] += share;
        }
    }
    std::vector<double> received(takers_.size());
    complete("MPI_Ialltoallv", MPI_Ialltoallv, shares.data(), send_counts_.data(), send_places_.data(),
             MPI_DOUBLE, received.data(), receive_counts_.data(), receive_places_.data(), MPI_DOUBLE,
             comm_.get());
    const double lost_by_all = sum_over_ranks(comm_, lost);
    std::vector<double> sums(vertices_.size());
    for (std::size_t i = 0; i < received.size(); ++i) {
        sums[takers_[i]] += received[i];
    }
    const double base = ((1 - kDamping) + kDamping * lost_by_all) / static_cast<double>(vertices_of_all_);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        ranks_[i] = base + kDamping * sums[i];
    }
}

}  // namespace kvasir::jobs
