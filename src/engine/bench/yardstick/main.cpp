// wordcount-yardstick: counts the words of texts in one thread, without MapReduce. What a framework costs is
// its CPU time over this program's.

#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "text_files.hpp"
#include "word_table.hpp"

namespace kvasir::bench {
namespace {

/// Writes a whole file under a temporary name and then gives it its own.
void write_file(const std::string& path, const std::string& content) {
    const std::string part = path + "." + std::to_string(::getpid()) + ".part";
    std::ofstream file(part, std::ios::binary);
    file << content;
    file.close();
    if (!file || std::rename(part.c_str(), path.c_str()) != 0) {
        ::unlink(part.c_str());
        throw std::runtime_error(path +
                                 ": cannot be written; expected a file name in a folder with free space");
    }
}

/// One line per distinct word, "count<tab>word", in the order of their bytes.
std::string listing(const WordTable& table) {
    std::vector<std::pair<std::string_view, std::uint64_t>> counts;
    counts.reserve(table.keys());
    table.for_each([&](std::string_view word, std::uint64_t count) { counts.emplace_back(word, count); });
    std::sort(counts.begin(), counts.end());
    std::string text;
    for (const auto& [word, count] : counts) {
        text.append(std::to_string(count)).append("\t").append(word).append("\n");
    }
    return text;
}

void run(const std::vector<std::string>& inputs, const std::string& report, const std::string& output) {
    const auto start = std::chrono::steady_clock::now();
    WordTable table;
    std::uint64_t bytes = 0;
    for (const std::string& path : files_of(inputs)) {
        bytes += count_words(path, table);
    }
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    const nlohmann::ordered_json facts = {
        {"format", 1},
        {"words", table.words()},
        {"keys", table.keys()},
        {"checksum", table.checksum()},
        {"bytes", bytes},
        {"wall_s", wall.count()},
        {"cpu_s", seconds(used.ru_utime) + seconds(used.ru_stime)},
        {"peak_rss_bytes", static_cast<std::uint64_t>(used.ru_maxrss) * 1024},
    };
    if (!output.empty()) {
        write_file(output, listing(table));
    }
    if (report.empty()) {
        std::cout << facts.dump(1) << "\n";
    } else {
        write_file(report, facts.dump(1) + "\n");
    }
}

}  // namespace
}  // namespace kvasir::bench

int main(int argc, char** argv) {
    CLI::App app{"Count the words of texts in one thread: exact, words of any length and bytes"};
    std::vector<std::string> inputs;
    std::string report;
    std::string output;
    app.add_option("input", inputs, "files, or folders with all files below them")->required();
    app.add_option("--report", report, "JSON with words, keys and checksum (default: standard output)");
    app.add_option("--output", output, "every word and its count, sorted by the bytes of the word");
    CLI11_PARSE(app, argc, argv);
    try {
        kvasir::bench::run(inputs, report, output);
    } catch (const std::exception& error) {
        std::cerr << "wordcount-yardstick: " << error.what() << "\n";
        return 1;
    }
    return 0;
}
