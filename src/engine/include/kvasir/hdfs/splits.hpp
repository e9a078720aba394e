#pragma once
// Input splits and their assignment to O ranks: to one whose host has the block, where such a rank has no
// more to do than the others.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kvasir/hdfs/namenode.hpp"

namespace kvasir::hdfs {

/// Split: bytes [begin, end) of a file.
struct Split {
    std::size_t file = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::vector<std::string> hosts;  ///< names and addresses of those that have them

    std::uint64_t bytes() const { return end - begin; }
};

/// Lists the files at `paths`: of folders those that Hadoop would read (no names with _ or . in front),
/// sorted. Throws Error where a path does not exist.
std::vector<FileStatus> input_files(NameNode& name_node, const std::vector<std::string>& paths);

/// Cuts blocks in pieces of at most `most` bytes, each within one block.
std::vector<Split> cut(std::size_t file, const std::vector<Block>& blocks, std::uint64_t most);

/// Assigns splits to ranks: indices into `splits`, in their order. `ranks`: the names of each rank's host.
/// The bytes of two ranks differ by no more than the largest split.
std::vector<std::vector<std::size_t>> assign(const std::vector<Split>& splits,
                                             const std::vector<std::vector<std::string>>& ranks);

}  // namespace kvasir::hdfs
