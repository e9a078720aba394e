#include "netsim/mapreduce/min_cost_flow.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <queue>

namespace netsim::mapreduce {
namespace {

constexpr MinCostFlow::Amount kFar = std::numeric_limits<MinCostFlow::Amount>::max() / 4;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

int MinCostFlow::add_arc(int from, int to, Amount capacity, Amount cost) {
    const int number = static_cast<int>(arcs_.size());
    arcs_.push_back({to, capacity, cost});
    arcs_.push_back({from, 0, -cost});
    out_[at(from)].push_back(number);
    out_[at(to)].push_back(number + 1);
    return number / 2;
}

void MinCostFlow::first_potentials(int source) {
    // Bellman and Ford with a queue: costs may be negative before the first path.
    potential_.assign(out_.size(), kFar);
    std::vector<char> queued(out_.size(), 0);
    std::deque<int> queue{source};
    potential_[at(source)] = 0;
    while (!queue.empty()) {
        const int node = queue.front();
        queue.pop_front();
        queued[at(node)] = 0;
        for (const int number : out_[at(node)]) {
            const Arc& arc = arcs_[at(number)];
            const Amount reached = potential_[at(node)] + arc.cost;
            if (arc.capacity > 0 && reached < potential_[at(arc.to)]) {
                potential_[at(arc.to)] = reached;
                if (queued[at(arc.to)] == 0) {
                    queued[at(arc.to)] = 1;
                    queue.push_back(arc.to);
                }
            }
        }
    }
}

bool MinCostFlow::cheapest_path(int source, int sink) {
    using Entry = std::pair<Amount, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
    distance_.assign(out_.size(), kFar);
    arrived_by_.assign(out_.size(), -1);
    distance_[at(source)] = 0;
    heap.emplace(0, source);
    while (!heap.empty()) {
        const auto [distance, node] = heap.top();
        heap.pop();
        if (node == sink) {
            return true;  // all others are at least as far
        }
        if (distance != distance_[at(node)]) {
            continue;
        }
        for (const int number : out_[at(node)]) {
            const Arc& arc = arcs_[at(number)];
            if (arc.capacity <= 0 || potential_[at(arc.to)] >= kFar) {
                continue;
            }
            const Amount reached = distance + arc.cost + potential_[at(node)] - potential_[at(arc.to)];
            if (reached < distance_[at(arc.to)]) {
                distance_[at(arc.to)] = reached;
                arrived_by_[at(arc.to)] = number;
                heap.emplace(reached, arc.to);
            }
        }
    }
    return false;
}

MinCostFlow::Result MinCostFlow::solve(int source, int sink, Amount limit, bool while_negative) {
    Result result;
    first_potentials(source);
    while (result.flow < limit && cheapest_path(source, sink)) {
        // Nodes out of reach keep a potential that keeps reduced costs from becoming negative.
        const Amount furthest = distance_[at(sink)];
        for (std::size_t node = 0; node < out_.size(); ++node) {
            if (potential_[node] < kFar) {
                potential_[node] += std::min(distance_[node], furthest);
            }
        }
        const Amount cost = potential_[at(sink)] - potential_[at(source)];
        if (while_negative && cost >= 0) {
            break;
        }
        Amount most = limit - result.flow;
        for (int node = sink; node != source;) {
            const int number = arrived_by_[at(node)];
            most = std::min(most, arcs_[at(number)].capacity);
            node = arcs_[at(number ^ 1)].to;
        }
        for (int node = sink; node != source;) {
            const int number = arrived_by_[at(node)];
            arcs_[at(number)].capacity -= most;
            arcs_[at(number ^ 1)].capacity += most;
            node = arcs_[at(number ^ 1)].to;
        }
        result.flow += most;
        result.cost += most * cost;
    }
    return result;
}

}  // namespace netsim::mapreduce
