// sort-yardstick: sorts records in one thread, in memory, without MapReduce. What a framework costs is its
// CPU time over this program's.

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace kvasir::bench {
namespace {

/// A record: the first eight bytes of its key, as a number, and which one it is.
struct Entry {
    std::uint64_t prefix;
    std::uint64_t record;
};

[[noreturn]] void fail(const std::string& path, const char* what) {
    throw std::runtime_error(path + ": " + what + ": " + std::generic_category().message(errno));
}

std::string read_file(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const off_t size = file < 0 ? -1 : ::lseek(file, 0, SEEK_END);
    if (size < 0) {
        fail(path, "cannot be read");
    }
    std::string content(static_cast<std::size_t>(size), '\0');
    for (std::size_t done = 0; done < content.size();) {
        const ssize_t got =
            ::pread(file, content.data() + done, content.size() - done, static_cast<off_t>(done));
        if (got <= 0) {
            fail(path, "cannot be read");
        }
        done += static_cast<std::size_t>(got);
    }
    ::close(file);
    return content;
}

/// Sorts by prefix, 11 bits at a time from the least significant on; equal ones stay in their order.
void sort_by_prefix(std::vector<Entry>& entries) {
    constexpr unsigned kBits = 11;
    constexpr std::size_t kBuckets = std::size_t{1} << kBits;
    std::vector<Entry> other(entries.size());
    for (unsigned shift = 0; shift < 64; shift += kBits) {
        const auto digit = [shift](const Entry& entry) { return (entry.prefix >> shift) & (kBuckets - 1); };
        std::array<std::size_t, kBuckets> next{};
        for (const Entry& entry : entries) {
            ++next[digit(entry)];
        }
        std::size_t begin = 0;
        for (std::size_t& bucket : next) {
            begin += std::exchange(bucket, begin);
        }
        for (const Entry& entry : entries) {
            other[next[digit(entry)]++] = entry;
        }
        entries.swap(other);
    }
}

/// Returns the entries of all records, sorted by all of their bytes.
std::vector<Entry> sorted(const std::string& records, std::size_t length) {
    std::vector<Entry> entries(records.size() / length);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, records.data() + i * length, std::min<std::size_t>(length, 8));
        entries[i] = {__builtin_bswap64(bytes), i};
    }
    sort_by_prefix(entries);
    const auto before = [&](const Entry& a, const Entry& b) {
        return std::memcmp(records.data() + a.record * length, records.data() + b.record * length, length) <
               0;
    };
    for (std::size_t begin = 0; begin < entries.size();) {
        std::size_t end = begin + 1;
        while (end < entries.size() && entries[end].prefix == entries[begin].prefix) {
            ++end;
        }
        if (end - begin > 1) {
            std::sort(entries.begin() + static_cast<std::ptrdiff_t>(begin),
                      entries.begin() + static_cast<std::ptrdiff_t>(end), before);
        }
        begin = end;
    }
    return entries;
}

void write_all(int file, const std::string& bytes, const std::string& path) {
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t put = ::write(file, bytes.data() + done, bytes.size() - done);
        if (put <= 0) {
            fail(path, "cannot be written");
        }
        done += static_cast<std::size_t>(put);
    }
}

void run(const std::string& input, const std::string& output, std::size_t length) {
    constexpr std::size_t kBlock = std::size_t{1} << 20U;
    constexpr int kMode = 0644;
    const std::string records = read_file(input);
    if (records.size() % length != 0) {
        throw std::runtime_error(input + ": has " + std::to_string(records.size()) +
                                 " bytes, expected a multiple of " + std::to_string(length));
    }
    const std::vector<Entry> entries = sorted(records, length);
    const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
    if (file < 0) {
        fail(output, "cannot be written");
    }
    std::string block;
    block.reserve(kBlock + length);
    for (const Entry& entry : entries) {
        block.append(records, entry.record * length, length);
        if (block.size() >= kBlock) {
            write_all(file, block, output);
            block.clear();
        }
    }
    write_all(file, block, output);
    if (::close(file) != 0) {
        fail(output, "cannot be written");
    }
}

}  // namespace
}  // namespace kvasir::bench

int main(int argc, char** argv) {
    CLI::App app{"Sort records of one length by all of their bytes, in one thread and in memory"};
    std::string input;
    std::string output;
    std::size_t length = 100;
    app.add_option("input", input, "file of records")->required();
    app.add_option("--output", output, "the records in order")->required();
    app.add_option("--record", length, "bytes of a record")->check(CLI::PositiveNumber);
    CLI11_PARSE(app, argc, argv);
    try {
        kvasir::bench::run(input, output, length);
    } catch (const std::exception& error) {
        std::cerr << "sort-yardstick: " << error.what() << "\n";
        return 1;
    }
    return 0;
}
