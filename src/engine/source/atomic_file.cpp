#include "kvasir/atomic_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "kvasir/error.hpp"

namespace kvasir {

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
    const std::filesystem::path whole(path_);
    std::string name(".");
    name += whole.filename().string();
    name += '.';
    name += std::to_string(getpid());
    temporary_ = (whole.parent_path() / name).string();
    file_ = std::fopen(temporary_.c_str(), "wbe");
    if (file_ == nullptr) {
        throw file_error("cannot write", path_, errno);
    }
}

AtomicFile::~AtomicFile() {
    if (file_ != nullptr) {
        (void)std::fclose(file_);
    }
    if (!committed_) {
        (void)std::remove(temporary_.c_str());
    }
}

void AtomicFile::write(std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
        throw file_error("cannot write", path_, errno);
    }
}

void AtomicFile::close() {
    const bool flushed = std::fflush(file_) == 0 && ::fsync(fileno(file_)) == 0;
    const int cause = errno;
    const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
    if (!flushed || !closed) {
        throw file_error("cannot write", path_, flushed ? errno : cause);
    }
}

void AtomicFile::commit() {
    if (file_ != nullptr) {
        close();
    }
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
        throw file_error("cannot write", path_, errno);
    }
    committed_ = true;
}

}  // namespace kvasir
