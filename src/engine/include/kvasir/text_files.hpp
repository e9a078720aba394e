#pragma once
// Lists the files of a text input, the same on every rank.

#include <cstdint>
#include <string>
#include <vector>

#include "kvasir/compression.hpp"
#include "kvasir/mpi.hpp"

namespace kvasir {

/// Regular files with their sizes (as stored) and compression, in a fixed order.
struct FileList {
    std::vector<std::string> paths;
    std::vector<std::uint64_t> sizes;
    std::vector<Compression> compressions;

    std::uint64_t total() const;
};

/// Lists all regular files at `inputs`, folders with everything below them, sorted by path. Rank 0 looks, all
/// ranks get the list. Throws JobError on every rank where one of them cannot be read. Collective. Without
/// `decompress`, compressed files are taken as they are.
FileList list_files(const Communicator& comm, const std::vector<std::string>& inputs, bool decompress = true);

}  // namespace kvasir
