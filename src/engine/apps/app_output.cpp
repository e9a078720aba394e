#include "app_output.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <utility>
#include <vector>

#include "kvasir/atomic_file.hpp"
#include "kvasir/report.hpp"

namespace kvasir::app {
namespace {

namespace fs = std::filesystem;

std::string part_path(const std::string& folder, int rank) {
    std::string number = std::to_string(rank);
    number.insert(0, 5 - std::min<std::size_t>(5, number.size()), '0');
    return folder + "/part-" + number;
}

/// Parts of an earlier job would mix with those of this one.
void prepare_folder(const std::string& folder) {
    std::error_code code;
    fs::create_directories(folder, code);
    if (code) {
        throw file_error("cannot create folder", folder, code.value());
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, code)) {
        if (entry.path().filename().string().rfind("part-", 0) == 0) {
            throw Error("output folder " + folder + " holds " + entry.path().filename().string() +
                        " already; give a new folder or remove the parts in it");
        }
    }
    if (code) {
        throw file_error("cannot read folder", folder, code.value());
    }
}

/// Runs `action`; if it throws on any rank, all ranks throw.
template <class Action>
void together(const Communicator& comm, Action&& action) {
    std::string cause;
    try {
        action();
    } catch (const std::exception& error) {
        cause = error.what();
    }
    agree_on_success(comm, cause);
}

void write_lines(AtomicFile& file, const Counts& counts) {
    constexpr std::size_t enough = 1U << 16U;
    std::string lines;
    for (const auto& [word, count] : counts) {
        lines += word;
        lines += '\t';
        char digits[20];
        lines.append(digits, std::to_chars(digits, digits + sizeof(digits), count).ptr);
        lines += '\n';
        if (lines.size() >= enough) {
            file.write(lines);
            lines.clear();
        }
    }
    file.write(lines);
}

using Entry = std::pair<std::uint64_t, std::string>;

bool commoner(const Entry& a, const Entry& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
}

void keep_top(std::vector<Entry>& entries, std::size_t most) {
    const std::size_t kept = std::min(most, entries.size());
    std::partial_sort(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(kept), entries.end(),
                      commoner);
    entries.resize(kept);
}

}  // namespace

std::uint64_t checksum(const Counts& counts) {
    std::uint64_t sum = 0;
    for (const auto& [word, count] : counts) {
        sum = add_checksums(sum, checksum_of(word, count));
    }
    return sum;
}

void write_parts(const Communicator& comm, const Counts& counts, const std::string& folder) {
    together(comm, [&] {
        if (comm.rank() == 0) {
            prepare_folder(folder);
        }
    });
    const std::string path = part_path(folder, comm.rank());
    std::optional<AtomicFile> file;
    together(comm, [&] {
        file.emplace(path);
        write_lines(*file, counts);
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

void print_top(const Communicator& comm, const Counts& counts, std::size_t most) {
    std::vector<Entry> own;
    for (const auto& [word, count] : counts) {
        own.emplace_back(count, word);
        if (own.size() >= 2 * most + 4096) {
            keep_top(own, most);
        }
    }
    keep_top(own, most);
    std::string lines;
    for (const auto& [count, word] : own) {
        lines += std::to_string(count) + '\t' + word + '\n';
    }
    std::vector<Entry> all;
    for (const std::string& text : gather_texts(comm, lines)) {
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t tab = text.find('\t', at);
            const std::size_t end = text.find('\n', tab);
            all.emplace_back(std::stoull(text.substr(at, tab - at)), text.substr(tab + 1, end - tab - 1));
            at = end + 1;
        }
    }
    keep_top(all, most);
    for (const auto& [count, word] : all) {
        (void)std::fwrite(word.data(), 1, word.size(), stdout);
        (void)std::printf("\t%llu\n", static_cast<unsigned long long>(count));
    }
}

}  // namespace kvasir::app
