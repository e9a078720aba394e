#include "text_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "space_mask.hpp"

namespace kvasir::bench {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kSlice = 1U << 18U;  ///< bytes of a read: they stay in the cache until they are counted
constexpr std::size_t kPad = 64;           ///< bytes that may be read behind the text

[[noreturn]] void fail(const std::string& path, int error) {
    throw std::runtime_error(path + ": cannot be read: " + std::generic_category().message(error));
}

class Descriptor {
  public:
    explicit Descriptor(const std::string& path) : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (number_ < 0) {
            fail(path, errno);
        }
    }
    ~Descriptor() { ::close(number_); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number() const { return number_; }

  private:
    int number_;
};

/// Adds the words that white space ends; returns where the unfinished one begins.
std::size_t add_words(const char* text, std::size_t size, WordTable& table) {
    std::size_t begin = 0;
    for (std::size_t block = 0; block < size; block += 64) {
        std::uint64_t spaces = space_mask(text + block);
        if (size - block < 64) {
            spaces &= (std::uint64_t{1} << (size - block)) - 1;
        }
        for (; spaces != 0; spaces &= spaces - 1) {
            const std::size_t end = block + static_cast<std::size_t>(std::countr_zero(spaces));
            if (end > begin) {
                table.add(PaddedView(text + begin, end - begin));
            }
            begin = end + 1;
        }
    }
    return begin;
}

}  // namespace

std::vector<std::string> files_of(const std::vector<std::string>& paths) {
    std::vector<std::string> files;
    for (const std::string& path : paths) {
        std::error_code error;
        const fs::file_status status = fs::status(path, error);
        if (!fs::exists(status)) {
            throw std::runtime_error(path + ": no such file or folder");
        }
        if (!fs::is_directory(status)) {
            files.push_back(path);
            continue;
        }
        const std::size_t before = files.size();
        try {
            for (const auto& entry : fs::recursive_directory_iterator(path)) {
                if (entry.is_regular_file()) {
                    files.push_back(entry.path().string());
                }
            }
        } catch (const fs::filesystem_error& problem) {
            fail(problem.path1().empty() ? path : problem.path1().string(), problem.code().value());
        }
        std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
    }
    return files;
}

std::uint64_t count_words(const std::string& path, WordTable& table) {
    const Descriptor file(path);
    std::vector<char> buffer(2 * kSlice + kPad);
    std::uint64_t bytes = 0;
    std::size_t held = 0;  // bytes of an unfinished word at the start of the buffer
    for (;;) {
        // Doubling keeps the cost of one huge word linear although its start is looked at again.
        if (held + kSlice + kPad > buffer.size()) {
            buffer.resize(2 * buffer.size());
        }
        const std::size_t room = held < kSlice ? kSlice : buffer.size() - kPad - held;
        const ssize_t got = ::read(file.number(), buffer.data() + held, room);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            fail(path, errno);
        }
        if (got == 0) {
            break;
        }
        bytes += static_cast<std::uint64_t>(got);
        const std::size_t size = held + static_cast<std::size_t>(got);
        const std::size_t begin = add_words(buffer.data(), size, table);
        table.settle();
        std::copy(buffer.data() + begin, buffer.data() + size, buffer.data());
        held = size - begin;
    }
    if (held > 0) {
        table.add(PaddedView(buffer.data(), held));
        table.settle();
    }
    return bytes;
}

}  // namespace kvasir::bench
