#include <sys/resource.h>

#include <chrono>

#include "netsim/fabric.hpp"

namespace netsim {
namespace {

double wall_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

rusage usage() {
    rusage used{};
    (void)getrusage(RUSAGE_SELF, &used);
    return used;
}

double cpu_seconds() {
    const rusage used = usage();
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace

Usage::Usage() : wall_(wall_seconds()), cpu_(cpu_seconds()) {}

void Usage::report(Report& report, std::uint64_t hops) const {
    constexpr double kKibibyte = 1024;
    const double cpu = cpu_seconds() - cpu_;
    report.add("sim.wall", wall_seconds() - wall_, "s", "measured:clock");
    report.add("sim.cpu", cpu, "s", "measured:rusage");
    report.add("sim.memory", static_cast<double>(usage().ru_maxrss) * kKibibyte, "B", "measured:rusage");
    if (cpu > 0) {
        report.add("sim.rate", static_cast<double>(hops) / cpu, "1/s", "measured:rusage");
    }
}

}  // namespace netsim
