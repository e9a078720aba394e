#pragma once
// Files that processes hold open, also those without a name.

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace kvasir::test {

/// Returns the descriptors, as paths in /proc, of a process's open files that lie in `folder`.
inline std::vector<std::string> open_files(const std::string& process, const std::string& folder) {
    std::vector<std::string> found;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/" + process + "/fd", code)) {
        const std::string target = std::filesystem::read_symlink(entry.path(), code).string();
        if (target.rfind(folder + "/", 0) == 0) {
            found.push_back(entry.path().string());
        }
    }
    return found;
}

/// Flips the bits of one byte of every open file of this process in `folder`; returns in how many.
inline int damage_open_files(const std::string& folder, std::uint64_t place) {
    int damaged = 0;
    for (const std::string& path : open_files("self", folder)) {
        const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
        char byte = 0;
        if (file >= 0 && pread(file, &byte, 1, static_cast<off_t>(place)) == 1) {
            byte = static_cast<char>(~byte);
            damaged += pwrite(file, &byte, 1, static_cast<off_t>(place)) == 1 ? 1 : 0;
        }
        if (file >= 0) {
            close(file);
        }
    }
    return damaged;
}

}  // namespace kvasir::test
