// PageRank in Iteration mode: O ranks read the edges, A ranks keep them in memory and iterate.

#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "graph.hpp"
#include "input.hpp"
#include "job.hpp"

namespace kvasir::jobs {
namespace {

/// "source TAB target".
Edge edge_of(std::string_view line) {
    Edge edge;
    const char* end = line.data() + line.size();
    const auto source = std::from_chars(line.data(), end, edge.first);
    if (source.ec == std::errc() && source.ptr != end && *source.ptr == '\t') {
        const auto target = std::from_chars(source.ptr + 1, end, edge.second);
        if (target.ec == std::errc() && target.ptr == end && (edge.first | edge.second) <= INT32_MAX) {
            return edge;
        }
    }
    throw Error("no edge: '" + std::string(line.substr(0, 100)) + "'; expected SOURCE<TAB>TARGET");
}

std::string_view bytes_of(const Vertex& vertex) {
    return {reinterpret_cast<const char*>(&vertex), sizeof(vertex)};
}

/// This A rank's edges.
std::vector<Edge> read_edges(Job& job) {
    std::vector<Edge> edges;
    auto receive = [&](std::string_view source, std::string_view target) {
        Edge edge;
        std::memcpy(&edge.first, source.data(), sizeof(Vertex));
        std::memcpy(&edge.second, target.data(), sizeof(Vertex));
        edges.push_back(edge);
    };
    PackedExchange exchange(job.state(), receive);
    Input input(job);
    job.map_and_exchange(
        exchange,
        [&](const hdfs::Split& split) {
            input.lines(
                split,
                [&](std::string_view line) {
                    const Edge edge = edge_of(line);
                    job.state().counters().input_bytes += line.size() + 1;
                    const int owner = Graph::owner(edge.first, job.roles().a_ranks());
                    exchange.send(job.roles().process_of_a(owner), bytes_of(edge.first),
                                  bytes_of(edge.second));
                },
                [&] { return job.go_on(exchange); });
        },
        [] {});
    return edges;
}

void write_ranks(hdfs::ByteSink& part, const Graph& graph) {
    std::string lines;
    constexpr std::size_t enough = 64U << 10U;
    for (std::size_t i = 0; i < graph.vertices().size(); ++i) {
        char number[32];
        lines += std::to_string(graph.vertices()[i]);
        lines += '\t';
        lines.append(number, std::to_chars(number, number + sizeof(number), graph.ranks()[i]).ptr);
        lines += '\n';
        if (lines.size() >= enough) {
            part.write(lines);
            lines.clear();
        }
    }
    part.write(lines);
}

}  // namespace

void page_rank(Job& job) {
    std::vector<Edge> edges = read_edges(job);
    const std::uint64_t all_edges = job.sum_over_ranks(edges.size());
    job.together([&] {
        if (all_edges == 0) {
            throw Error("hdfs:" + job.options().input + " holds no edges");
        }
    });
    std::optional<Graph> graph;
    job.together([&] {
        if (!job.roles().is_a()) {
            return;
        }
        const double begin = wall_time();
        PhaseScope phase(job.state().clock(), Phase::convert);
        graph.emplace(job.roles().a(), std::move(edges));
        for (int i = 0; i < job.options().iterations; ++i) {
            graph->iterate();
        }
        job.note("reduce", "merge", begin);
    });
    job.set_fact("edges", all_edges);
    job.set_fact("vertices", job.sum_over_ranks(graph ? graph->vertices().size() : 0));
    job.set_fact("iterations", static_cast<std::uint64_t>(job.options().iterations));
    job.write_parts([&](hdfs::ByteSink& part) { write_ranks(part, *graph); });
}

}  // namespace kvasir::jobs
