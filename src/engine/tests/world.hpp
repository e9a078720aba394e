#pragma once
// The communicator of the tests, and a folder that all ranks share.

#include <filesystem>
#include <fstream>
#include <string>

#include "kvasir/mpi.hpp"
#include "kvasir/wait.hpp"

namespace kvasir::test {

/// A copy of MPI_COMM_WORLD for the tests' own messages. Never freed: MPI ends before static objects do.
inline const Communicator& world() {
    static const auto* comm = new Communicator(MPI_COMM_WORLD);
    return *comm;
}

/// A new folder, the same on all ranks; removed by rank 0 in the end. Collective.
class SharedFolder {
  public:
    SharedFolder() {
        std::string path = (std::filesystem::temp_directory_path() / "kvasir-test-XXXXXX").string();
        if (world().rank() == 0 && mkdtemp(path.data()) == nullptr) {
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        complete("MPI_Ibcast", MPI_Ibcast, path.data(), static_cast<int>(path.size()), MPI_CHAR, 0,
                 world().get());
        path_ = path;
    }
    ~SharedFolder() {
        barrier(world());
        if (world().rank() == 0) {
            std::error_code ignored;
            std::filesystem::remove_all(path_, ignored);
        }
    }
    SharedFolder(const SharedFolder&) = delete;
    SharedFolder& operator=(const SharedFolder&) = delete;

    const std::string& path() const { return path_; }

    /// Writes a file from rank 0; returns its path. Collective.
    std::string write(const std::string& name, const std::string& content) const {
        std::string file = path_ + "/" + name;
        if (world().rank() == 0) {
            std::filesystem::create_directories(std::filesystem::path(file).parent_path());
            std::ofstream(file, std::ios::binary) << content;
        }
        barrier(world());
        return file;
    }

  private:
    std::string path_;
};

}  // namespace kvasir::test
