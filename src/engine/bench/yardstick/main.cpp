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

/// Most bytes of memory this program ever had. Not from getrusage(): that counts what the process was before
/// exec.
std::uint64_t peak_memory() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        std::uint64_t kibibytes = 0;
        if (word == "VmHWM:" && status >> kibibytes) {
            return kibibytes * 1024;
        }
    }
    throw std::runtime_error("/proc/self/status: has no line VmHWM, the peak of memory");
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
    const std::uint64_t checksum = table.checksum();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    const auto metric = [](const auto& value, const char* unit, const char* source) {
        return nlohmann::ordered_json{{"value", value}, {"unit", unit}, {"source", source}};
    };
    // Named as in the reports of the mini-apps.
    nlohmann::ordered_json facts = {{"app", "wordcount-yardstick"}, {"inputs", inputs}};
    auto& metrics = facts["metrics"];
    metrics["runtime"] = metric(wall.count(), "s", "measured:clock");
    metrics["cpu.total"] = metric(seconds(used.ru_utime) + seconds(used.ru_stime), "s", "measured:rusage");
    metrics["words"] = metric(table.words(), "1", "measured:yardstick");
    metrics["keys"] = metric(table.keys(), "1", "measured:yardstick");
    metrics["output.checksum"] = metric(checksum, "1", "measured:yardstick");
    metrics["input.bytes"] = metric(bytes, "B", "measured:yardstick");
    metrics["mem.peak"] = metric(peak_memory(), "B", "measured:procfs");
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
