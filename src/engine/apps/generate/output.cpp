#include "output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace kvasir::generate {

namespace {

volatile std::sig_atomic_t g_signal = 0;

void remember(int number) { g_signal = number; }

std::runtime_error failed(const std::string& path) {
    return std::runtime_error(path + ": cannot be written: " + std::strerror(errno));
}

}  // namespace

void remember_signals() {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, remember);
}

void stop_if_asked() {
    if (g_signal != 0)
        throw std::runtime_error("stopped by signal " + std::to_string(g_signal) + "; nothing was left");
}

Output::Output(std::string path, std::uint64_t bytes) : path_(std::move(path)), part_(path_ + ".part") {
    if (std::filesystem::is_directory(path_)) {
        throw std::runtime_error(path_ + ": is a folder; a file's name is expected");
    }
    descriptor_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (descriptor_ < 0) throw failed(path_);
    struct statvfs disk {};
    if (::fstatvfs(descriptor_, &disk) == 0) {
        const std::uint64_t free = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
        if (free < bytes) {
            ::close(descriptor_);
            ::unlink(part_.c_str());
            throw std::runtime_error(path_ + ": needs " + std::to_string(bytes) + " bytes, the disk has " +
                                     std::to_string(free) + " free; free some or choose fewer words");
        }
    }
}

Output::~Output() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
        ::unlink(part_.c_str());
    }
}

void Output::write_at(std::string_view text, std::uint64_t at) const {
    while (!text.empty()) {
        const ssize_t step = ::pwrite(descriptor_, text.data(), text.size(), static_cast<off_t>(at));
        if (step < 0 && errno == EINTR) continue;
        if (step < 0) throw failed(path_);
        text.remove_prefix(static_cast<std::size_t>(step));
        at += static_cast<std::uint64_t>(step);
    }
}

void Output::commit() {
    const int descriptor = std::exchange(descriptor_, -1);
    if (::close(descriptor) != 0 || std::rename(part_.c_str(), path_.c_str()) != 0) {
        const int cause = errno;
        ::unlink(part_.c_str());
        errno = cause;
        throw failed(path_);
    }
}

}  // namespace kvasir::generate
