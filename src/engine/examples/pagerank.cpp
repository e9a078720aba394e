// Prints "VERTEX RANK" for each vertex of a graph, a text of edges "SOURCE TARGET" by numbers, one a line:
//   mpirun -n 2 pagerank EDGES [MOST_ROUNDS]

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <kvasir/iterate.hpp>
#include <kvasir/map_reduce.hpp>
#include <kvasir/program.hpp>
#include <numeric>
#include <unordered_map>

constexpr std::uint64_t kNone = UINT64_MAX;  // makes a vertex of a target that has no edges of its own
constexpr double kDamping = 0.85;
struct Vertex {
    std::uint64_t name;
    double rank;
    std::vector<std::uint64_t> targets;
};

/// Reads the graph; each rank gets the vertices that hash to it.
std::vector<Vertex> read_graph(const kvasir::Communicator& comm, const char* path) {
    const auto edges = kvasir::map_reduce<std::uint64_t, std::uint64_t>(
        comm.get(), kvasir::lines({path}),
        [](std::string_view line, auto& emit) {
            std::uint64_t source = 0;
            std::uint64_t target = 0;
            const std::string text(line);
            if (std::sscanf(text.c_str(), "%lu %lu", &source, &target) != 2)
                throw kvasir::Error("no edge: '" + text + "'; expected SOURCE TARGET");
            emit(source, target);
            emit(target, kNone);
        },
        kvasir::no_combine,
        [](std::uint64_t, std::span<const std::uint64_t> targets) {
            std::vector<std::uint64_t> own(targets.begin(), targets.end());
            std::erase(own, kNone);
            return own;
        });
    std::vector<Vertex> graph;
    const double vertices = kvasir::sum_over_ranks(comm, static_cast<double>(edges.size()));
    for (const auto& [name, targets] : edges) graph.push_back({name, 1 / vertices, targets});
    return graph;
}

/// Returns by how much the ranks of this process's vertices change.
double step(const kvasir::Communicator& comm, std::vector<Vertex>& graph) {
    const auto emit_shares = [](const Vertex& vertex, auto& emit) {
        const double share = vertex.rank / static_cast<double>(vertex.targets.size());
        for (const std::uint64_t target : vertex.targets) emit(target, share);
    };
    const auto sum = [](std::uint64_t, std::span<const double> shares) {
        return std::accumulate(shares.begin(), shares.end(), 0.0);
    };
    const auto sums = kvasir::map_reduce<std::uint64_t, double>(comm.get(), kvasir::items(graph), emit_shares,
                                                                std::plus<>(), sum);
    const std::unordered_map<std::uint64_t, double> arrived(sums.begin(), sums.end());
    double lost = 0;  // of vertices without edges, given to all
    for (const Vertex& vertex : graph) lost += vertex.targets.empty() ? vertex.rank : 0;
    const double to_each = 1 - kDamping + kDamping * kvasir::sum_over_ranks(comm, lost);
    const double vertices = kvasir::sum_over_ranks(comm, static_cast<double>(graph.size()));
    double change = 0;
    for (Vertex& vertex : graph) {
        const auto found = arrived.find(vertex.name);
        const double rank = to_each / vertices + (found == arrived.end() ? 0 : kDamping * found->second);
        change += std::abs(rank - std::exchange(vertex.rank, rank));
    }
    return change;
}

int main(int argc, char** argv) {
    return kvasir::run_program(argc, argv, [&](const kvasir::Communicator& comm) {
        if (argc < 2) throw kvasir::Error("expected a file of edges, and perhaps the most rounds");
        std::vector<Vertex> graph = read_graph(comm, argv[1]);
        kvasir::iterate(comm, argc > 2 ? std::atoi(argv[2]) : 100, 1e-12, [&] { return step(comm, graph); });
        for (const Vertex& vertex : graph) std::printf("%lu %.17g\n", vertex.name, vertex.rank);
        return 0;
    });
}
