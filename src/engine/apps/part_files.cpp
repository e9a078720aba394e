#include "part_files.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kvasir/error.hpp"

namespace kvasir::app {
namespace {

namespace fs = std::filesystem;

std::string part_path(const std::string& folder, int rank) {
    std::string number = std::to_string(rank);
    number.insert(0, 5 - std::min<std::size_t>(5, number.size()), '0');
    return folder + "/part-" + number;
}

/// Parts of an earlier job would mix with those of this one. What a job that was killed has not finished
/// would be read as input.
void prepare_folder(const std::string& folder) {
    std::error_code code;
    fs::create_directories(folder, code);
    if (code) {
        throw file_error("cannot create folder", folder, code.value());
    }
    std::vector<fs::path> unfinished;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, code)) {
        const std::string name = entry.path().filename().string();
        if (name.rfind("part-", 0) == 0) {
            throw Error(std::string("output folder ")
                            .append(folder)
                            .append(" holds ")
                            .append(name)
                            .append(" already; give a new folder or remove the parts in it"));
        }
        if (name.rfind(".part-", 0) == 0) {
            unfinished.push_back(entry.path());
        }
    }
    for (const fs::path& path : unfinished) {
        if (!fs::remove(path, code) && code) {
            throw file_error("cannot remove", path.string(), code.value());
        }
    }
    if (code) {
        throw file_error("cannot read folder", folder, code.value());
    }
}

}  // namespace

void write_part_files(const Communicator& comm, const std::string& folder,
                      const std::function<void(AtomicFile&)>& write) {
    together(comm, [&] {
        if (comm.rank() == 0) {
            prepare_folder(folder);
        }
    });
    const std::string path = part_path(folder, comm.rank());
    std::optional<AtomicFile> file;
    together(comm, [&] {
        file.emplace(path);
        write(*file);
        file->close();
    });
    try {
        together(comm, [&] { file->commit(); });
    } catch (const Error&) {
        std::error_code ignored;
        fs::remove(path, ignored);
        throw;
    }
}

}  // namespace kvasir::app
