#include "kvasir/hdfs/splits.hpp"

#include <algorithm>
#include <numeric>

#include "kvasir/hdfs/partition.hpp"

namespace kvasir::hdfs {
namespace {

bool is_hidden(const std::string& path) {
    const char first = path[path.rfind('/') + 1];
    return first == '_' || first == '.';
}

/// The rank with least to read of those that `eligible` admits; -1 where it admits none.
template <class Eligible>
int least_loaded(const std::vector<std::uint64_t>& load, Eligible&& eligible) {
    int found = -1;
    for (std::size_t rank = 0; rank < load.size(); ++rank) {
        if (eligible(rank) && (found < 0 || load[rank] < load[static_cast<std::size_t>(found)])) {
            found = static_cast<int>(rank);
        }
    }
    return found;
}

/// Moves splits from the rank with most to the one with least while that brings them nearer to each other.
void even_out(const std::vector<Split>& splits, std::vector<std::vector<std::size_t>>& given,
              std::vector<std::uint64_t>& load) {
    while (true) {
        const auto [least, most] = std::minmax_element(load.begin(), load.end());
        auto& from = given[static_cast<std::size_t>(most - load.begin())];
        const auto smallest = std::min_element(from.begin(), from.end(), [&](std::size_t a, std::size_t b) {
            return splits[a].bytes() < splits[b].bytes();
        });
        if (smallest == from.end() || *least + splits[*smallest].bytes() >= *most) {
            return;
        }
        *least += splits[*smallest].bytes();
        *most -= splits[*smallest].bytes();
        given[static_cast<std::size_t>(least - load.begin())].push_back(*smallest);
        from.erase(smallest);
    }
}

}  // namespace

std::vector<FileStatus> input_files(NameNode& name_node, const std::vector<std::string>& paths) {
    std::vector<FileStatus> files;
    for (const std::string& path : paths) {
        FileStatus status;
        if (!name_node.find(path, &status)) {
            throw Error("input path does not exist: hdfs:" + path);
        }
        if (!status.folder) {
            files.push_back(status);
            continue;
        }
        for (const FileStatus& entry : name_node.list(path)) {
            if (!entry.folder && !is_hidden(entry.path)) {
                files.push_back(entry);
            }
        }
    }
    std::sort(files.begin(), files.end(),
              [](const FileStatus& a, const FileStatus& b) { return a.path < b.path; });
    return files;
}

std::vector<Split> cut(std::size_t file, const std::vector<Block>& blocks, std::uint64_t most) {
    std::vector<Split> splits;
    for (const Block& block : blocks) {
        std::vector<std::string> hosts;
        for (const DataNode& node : block.data_nodes) {
            hosts.push_back(node.ip);
            hosts.push_back(node.name);
        }
        const std::uint64_t pieces = std::max<std::uint64_t>((block.bytes + most - 1) / most, 1);
        for (std::uint64_t i = 0; i < pieces; ++i) {
            const std::uint64_t begin = block.offset + block.bytes * i / pieces;
            const std::uint64_t end = block.offset + block.bytes * (i + 1) / pieces;
            if (begin != end) {
                splits.push_back({file, begin, end, hosts});
            }
        }
    }
    return splits;
}

std::vector<std::vector<std::size_t>> assign(const std::vector<Split>& splits,
                                             const std::vector<std::vector<std::string>>& ranks) {
    std::vector<std::vector<std::size_t>> given(ranks.size());
    std::vector<std::uint64_t> load(ranks.size());
    const std::uint64_t total =
        std::accumulate(splits.begin(), splits.end(), std::uint64_t{0},
                        [](std::uint64_t sum, const Split& split) { return sum + split.bytes(); });
    const std::uint64_t share = (total + ranks.size() - 1) / ranks.size();
    const auto give = [&](std::size_t split, int rank) {
        given[static_cast<std::size_t>(rank)].push_back(split);
        load[static_cast<std::size_t>(rank)] += splits[split].bytes();
    };
    std::vector<std::size_t> rest;
    for (std::size_t i = 0; i < splits.size(); ++i) {
        const auto near = [&](std::size_t rank) {
            return std::any_of(ranks[rank].begin(), ranks[rank].end(), [&](const std::string& name) {
                return std::find(splits[i].hosts.begin(), splits[i].hosts.end(), name) !=
                       splits[i].hosts.end();
            });
        };
        const int rank = least_loaded(
            load, [&](std::size_t r) { return near(r) && load[r] + splits[i].bytes() / 2 <= share; });
        if (rank < 0) {
            rest.push_back(i);
        } else {
            give(i, rank);
        }
    }
    for (const std::size_t split : rest) {
        give(split, least_loaded(load, [](std::size_t) { return true; }));
    }
    even_out(splits, given, load);
    for (auto& one : given) {
        std::sort(one.begin(), one.end());
    }
    return given;
}

std::vector<std::string> cuts_of(std::vector<std::string> samples, int parts) {
    std::sort(samples.begin(), samples.end());
    std::vector<std::string> cuts;
    for (int i = 1; i < parts && !samples.empty(); ++i) {
        cuts.push_back(
            samples[samples.size() * static_cast<std::size_t>(i) / static_cast<std::size_t>(parts)]);
    }
    return cuts;
}

}  // namespace kvasir::hdfs
