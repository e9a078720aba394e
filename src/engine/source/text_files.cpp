#include "kvasir/text_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "kvasir/error.hpp"
#include "kvasir/wait.hpp"

namespace kvasir {
namespace {

namespace fs = std::filesystem;

void add_file(FileList& list, const fs::path& path) {
    if (::access(path.c_str(), R_OK) != 0) {
        throw file_error("cannot read", path.string(), errno);
    }
    std::error_code code;
    const std::uint64_t size = fs::file_size(path, code);
    if (code) {
        throw file_error("cannot read", path.string(), code.value());
    }
    list.paths.push_back(path.string());
    list.sizes.push_back(size);
}

void add_folder(FileList& list, const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code code;
    fs::recursive_directory_iterator at(folder, code);
    for (; !code && at != fs::recursive_directory_iterator(); at.increment(code)) {
        // is_regular_file() follows links to files; links to folders are not entered.
        std::error_code kind;
        if (at->is_regular_file(kind)) {
            found.push_back(at->path());
        } else if (at->is_directory(kind) && ::access(at->path().c_str(), R_OK | X_OK) != 0) {
            throw file_error("cannot read folder", at->path().string(), errno);
        }
    }
    if (code) {
        throw file_error("cannot read folder", folder.string(), code.value());
    }
    std::sort(found.begin(), found.end());
    for (const fs::path& path : found) {
        add_file(list, path);
    }
}

FileList look(const std::vector<std::string>& inputs) {
    FileList list;
    for (const std::string& input : inputs) {
        std::error_code code;
        const fs::file_status status = fs::status(input, code);
        if (fs::is_directory(status)) {
            add_folder(list, input);
        } else if (fs::is_regular_file(status)) {
            add_file(list, input);
        } else if (!fs::exists(status)) {
            throw file_error("cannot read", input, code ? code.value() : ENOENT);
        } else {
            throw Error("cannot read " + input + ": neither a regular file nor a folder");
        }
    }
    return list;
}

Compression look_inside(const std::string& path) {
    std::array<char, 4> begin{};
    std::ifstream file(path, std::ios::binary);
    file.read(begin.data(), begin.size());
    return compression_of({begin.data(), static_cast<std::size_t>(file.gcount())});
}

void broadcast(const Communicator& comm, std::vector<std::uint64_t>& values) {
    std::uint64_t count = values.size();
    complete("MPI_Ibcast", MPI_Ibcast, &count, 1, MPI_UINT64_T, 0, comm.get());
    values.resize(count);
    complete("MPI_Ibcast", MPI_Ibcast, values.data(), static_cast<int>(count), MPI_UINT64_T, 0, comm.get());
}

}  // namespace

std::uint64_t FileList::total() const {
    return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
}

FileList list_files(const Communicator& comm, const std::vector<std::string>& inputs, bool decompress) {
    FileList list;
    together(comm, [&] {
        if (comm.rank() == 0) {
            list = look(inputs);
            for (const std::string& path : list.paths) {
                list.compressions.push_back(decompress ? look_inside(path) : Compression::none);
            }
        }
    });
    std::string joined;
    for (const std::string& path : list.paths) {
        joined += path + '\0';
    }
    std::vector<std::uint64_t> bytes{joined.size()};
    broadcast(comm, bytes);
    joined.resize(bytes[0]);
    complete("MPI_Ibcast", MPI_Ibcast, joined.data(), static_cast<int>(joined.size()), MPI_CHAR, 0,
             comm.get());
    broadcast(comm, list.sizes);
    list.compressions.resize(list.sizes.size());
    complete("MPI_Ibcast", MPI_Ibcast, list.compressions.data(), static_cast<int>(list.compressions.size()),
             MPI_UINT8_T, 0, comm.get());
    list.paths.clear();
    for (std::size_t at = 0; at < joined.size(); at += list.paths.back().size() + 1) {
        list.paths.emplace_back(joined.c_str() + at);
    }
    return list;
}

}  // namespace kvasir
