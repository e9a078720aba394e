#include "kvasir/stats.hpp"

#include <sys/resource.h>

#include <fstream>
#include <limits>
#include <string>

namespace kvasir {
namespace {

/// Returns the number after `name` in a file of lines "name: number ..."; 0 where there is none.
std::uint64_t number_in(const char* file, const std::string& name) {
    std::ifstream in(file);
    for (std::string word; in >> word; in.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
        std::uint64_t number = 0;
        if (word == name && in >> number) {
            return number;
        }
    }
    return 0;
}

}  // namespace

double process_cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void ask_system(RankStats& stats) {
    // Not ru_maxrss: that includes what the launcher had before it became this program.
    stats.resident_peak = number_in("/proc/self/status", "VmHWM:") * 1024;
    stats.disk_read = number_in("/proc/self/io", "read_bytes:");
    stats.disk_written = number_in("/proc/self/io", "write_bytes:");
}

}  // namespace kvasir
