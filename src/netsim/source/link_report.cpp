#include "netsim/link_report.hpp"

#include <array>
#include <cstdio>

#include "netsim/eee/closed_form.hpp"

namespace netsim {

void report_link(Report& report, const LinkSettings& settings, const LinkResult& result, double watts) {
    const double end = to_seconds(result.end);
    const auto share = [end](Time time) { return to_seconds(time) / end; };
    report.add("seconds", end, "s");
    report.add("packets", static_cast<double>(result.frames), "1");
    report.add("bytes.sent", static_cast<double>(result.bytes), "B");
    report.add("utilisation", share(result.busy), "1");
    report.add("power.rel", result.power(), "1");
    if (watts > 0) {
        report.add("power.mean", result.power() * watts, "W");
        report.add("power.saved", (1 - result.power()) * watts, "W");
        report.add("energy.total", result.energy * watts, "J");
    }
    report.add("time.active", share(result.account.active), "1");
    report.add("time.sleep", share(result.account.sleep), "1");
    report.add("time.lpi", share(result.account.low()), "1");
    if (settings.port.levels > 1) {
        report.add("time.lpi.first", share(result.account.lpi[0]), "1");
        report.add("time.lpi.second", share(result.account.lpi[1]), "1");
    }
    report.add("time.wake", share(result.account.wake), "1");
    report.add("wakes", static_cast<double>(result.account.wakes), "1");
    report.add("sleep.aborts", static_cast<double>(result.account.aborts), "1");
    report.add("wait.mean", result.wait.mean(), "s");
    report.add("wait.p50", result.wait.quantile(0.5), "s");
    report.add("wait.p99", result.wait.quantile(0.99), "s");
    report.add("wait.max", result.wait.max(), "s");
    report.add("wait.added", result.wait.mean() - result.wait_always_on.mean(), "s");
}

void report_closed_form(Report& report, const LinkSettings& settings, std::uint32_t frame_bytes,
                        double load) {
    constexpr std::string_view kSource = "simulated:closed-form";
    const eee::PortSettings& port = settings.port;
    const eee::LpiLevel& level = port.level[0];
    const eee::LoadedLink link{to_seconds(level.sleep), to_seconds(level.wake),
                               to_seconds(settings.speed.byte_time) * (frame_bytes + settings.overhead), load,
                               level.power};
    const double hold = to_seconds(port.hold);
    if (port.stall >= kNever) {
        report.add("power.rel.closed", 1, "1", kSource);
        report.add("wait.closed", link.rate() * link.service * link.service / (2 * (1 - load)), "s", kSource);
        return;
    }
    if (port.stall != 0 || port.levels > 1 || port.trigger_bytes || port.hold_from_lpi || port.refresh != 0 ||
        settings.delay_bound) {
        return;
    }
    if (!port.sleep_abort) {
        report.add("power.rel.closed", eee::closed::power(link, hold, port.trigger), "1", kSource);
        report.add("wait.closed", eee::closed::mean_wait(link, hold, port.trigger), "s", kSource);
    } else if (hold == 0 || port.trigger <= 1) {
        report.add("power.rel.closed", eee::closed::power_abort(link), "1", kSource);
    }
}

void write_timeline(const LinkResult& result, const std::string& path) {
    std::string text = "t_s,host,domain,metric,value,unit,source\n";
    std::array<char, 128> line{};
    for (const LinkChange& change : result.trace) {
        const int length =
            std::snprintf(line.data(), line.size(), "%.12f,link,port,%s,%d,1,simulated:netsim\n",
                          to_seconds(change.when), change.is_state ? "state" : "queue", change.value);
        text.append(line.data(), static_cast<std::size_t>(length));
    }
    write_file(path, text);
}

}  // namespace netsim
