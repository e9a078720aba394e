#include "app_output.hpp"

#include <charconv>
#include <cstdio>

#include "ended.hpp"
#include "kvasir/atomic_file.hpp"
#include "kvasir/report.hpp"
#include "kvasir/top.hpp"
#include "part_files.hpp"

namespace kvasir::app {
namespace {

void write_lines(AtomicFile& file, const Counts& counts, char terminator) {
    constexpr std::size_t enough = 1U << 16U;
    std::string lines;
    for (const auto& [word, count] : counts) {
        lines += word;
        lines += '\t';
        char digits[20];
        lines.append(digits, std::to_chars(digits, digits + sizeof(digits), count).ptr);
        lines += terminator;
        if (lines.size() >= enough) {
            file.write(lines);
            lines.clear();
        }
    }
    file.write(lines);
}

}  // namespace

std::uint64_t checksum(const Counts& counts) {
    std::uint64_t sum = 0;
    for (const auto& [word, count] : counts) {
        sum = add_checksums(sum, checksum_of(word, count));
    }
    return sum;
}

void write_parts(const Communicator& comm, const Counts& counts, const std::string& folder, char terminator) {
    write_part_files(comm, folder, [&](AtomicFile& file) { write_lines(file, counts, terminator); });
}

void print_top(const Communicator& comm, const Counts& counts, std::size_t most, char terminator) {
    const auto commonest = top(comm, counts, most);
    together(comm, [&] {
        for (const auto& [word, count] : commonest) {
            (void)std::fwrite(word.data(), 1, word.size(), stdout);
            (void)std::printf("\t%llu%c", static_cast<unsigned long long>(count), terminator);
        }
        flush_output();
    });
}

}  // namespace kvasir::app
