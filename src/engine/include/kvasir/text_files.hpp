#pragma once
// Lists the files of a text input, the same on every rank.

#include <cstdint>
#include <string>
#include <vector>

#include "kvasir/mpi.hpp"

namespace kvasir {

/// Regular files with their sizes, in a fixed order.
struct FileList {
    std::vector<std::string> paths;
    std::vector<std::uint64_t> sizes;

    std::uint64_t total() const;
};

/// Lists all regular files at `inputs`, folders with everything below them, sorted by path. Rank 0 looks, all
/// ranks get the list. Throws JobError on every rank where one of them cannot be read. Collective.
FileList list_files(const Communicator& comm, const std::vector<std::string>& inputs);

}  // namespace kvasir
