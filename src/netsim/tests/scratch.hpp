#pragma once
/// A folder of this process's own for files of tests, removed at its end.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace netsim::test {

/// A path in it.
inline std::string scratch(const std::string& name) {
    struct Folder {
        std::string path = testing::TempDir() + "/netsim-XXXXXX";
        Folder() {
            if (::mkdtemp(path.data()) == nullptr) {
                throw std::runtime_error(path + ": cannot be made");
            }
        }
        ~Folder() {
            std::error_code ignored;
            std::filesystem::remove_all(path, ignored);
        }
        Folder(const Folder&) = delete;
        Folder& operator=(const Folder&) = delete;
    };
    static const Folder folder;
    return folder.path + "/" + name;
}

}  // namespace netsim::test
