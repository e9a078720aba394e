#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "commands.hpp"
#include "netsim/config.hpp"
#include "netsim/error.hpp"
#include "netsim/link_report.hpp"

namespace netsim::app {
namespace {

struct LinkOptions {
    std::string speed = "10g";
    std::string policy = "standard";
    std::string unit = "packets";
    std::string from = "arrival";
    std::string mode = "deep";
    std::string eee = "on";
    std::string tx_lpi = "on";
    double tx_timer = 0;
    double hold = 0;
    std::int64_t trigger = 1;
    double dwell = 10;
    double delay_bound = 100;
    bool sleep_abort = false;
    double lpi_power = 0.1;
    double watts = 0;
    double load = 0;
    std::int64_t frame = 1500;
    std::int64_t overhead = -1;
    double seconds = 0;
    std::uint64_t seed = 1;
    std::string trace;
    std::string report;
    std::string timeline;
};

constexpr double kMostSeconds = 1e5;
constexpr double kMostMicroseconds = 1e10;
constexpr int kPreambleAndGap = 20;

/// An option and what has to be chosen with it.
struct Use {
    const char* option;
    bool fits;
    const char* where;
};

/// Throws ConfigError for an option that would have no effect.
void check_uses(const CLI::App& link, const LinkOptions& options) {
    const bool coalesce = options.policy == "coalesce";
    const bool sleeps = options.policy != "legacy" && options.policy != "ideal";
    const bool dual = eee::find_speed(options.speed)->dual && sleeps;
    const bool poisson = options.trace.empty();
    constexpr const char* kCoalesce = "--policy coalesce";
    constexpr const char* kSleeps = "--policy standard, coalesce or adaptive";
    constexpr const char* kPoisson = "--load";
    for (const Use& use : {Use{"--hold", coalesce, kCoalesce},
                           {"--trigger", coalesce, kCoalesce},
                           {"--unit", coalesce, kCoalesce},
                           {"--from", coalesce, kCoalesce},
                           {"--delay-bound", options.policy == "adaptive", "--policy adaptive"},
                           {"--tx-timer", sleeps, kSleeps},
                           {"--sleep-abort", sleeps, kSleeps},
                           {"--mode", dual, "--speed 40g and a policy that sleeps"},
                           {"--dwell", dual && options.mode == "dual", "--mode dual"},
                           {"--frame", poisson, kPoisson},
                           {"--seconds", poisson, kPoisson},
                           {"--seed", poisson, kPoisson}}) {
        if (link.count(use.option) > 0 && !use.fits) {
            throw ConfigError(std::string(use.option) + ": has no effect here, expected with " + use.where);
        }
    }
}

PolicyConfig policy_of(const LinkOptions& options) {
    using Kind = PolicyConfig::Kind;
    PolicyConfig policy;
    const bool on = options.eee == "on" && options.tx_lpi == "on";
    policy.kind = !on || options.policy == "legacy" ? Kind::legacy
                  : options.policy == "ideal"       ? Kind::ideal
                  : options.policy == "coalesce"    ? Kind::coalesce
                  : options.policy == "adaptive"    ? Kind::adaptive
                                                    : Kind::standard;
    policy.stall = microseconds(options.tx_timer);
    policy.hold = microseconds(options.hold);
    policy.trigger = static_cast<std::uint64_t>(options.trigger);
    policy.trigger_bytes = options.unit == "bytes";
    policy.hold_from_lpi = options.from == "lpi";
    policy.delay_bound = microseconds(options.delay_bound);
    policy.dwell = microseconds(options.dwell);
    policy.depth = options.mode == "deep"        ? eee::Depth::deep
                   : options.mode == "fast-wake" ? eee::Depth::fast_wake
                                                 : eee::Depth::dual;
    return policy;
}

void run(const CLI::App& link, const LinkOptions& options) {
    check_uses(link, options);
    LinkSettings settings;
    settings.speed = *eee::find_speed(options.speed);
    const PolicyConfig policy = policy_of(options);
    EeeConfig eee;
    eee.sleep_abort = options.sleep_abort;
    eee.lpi_power = options.lpi_power;
    settings.port = port_settings(policy, eee, settings.speed);
    if (policy.kind == PolicyConfig::Kind::adaptive) {
        settings.delay_bound = to_seconds(policy.delay_bound);
    }
    settings.traced = !options.timeline.empty();
    const bool recorded = !options.trace.empty();
    settings.overhead = options.overhead >= 0 ? static_cast<std::uint32_t>(options.overhead) : 0;
    if (recorded == (options.load > 0)) {
        throw ConfigError("--load, --trace: expected one of them");
    }
    const auto frame = static_cast<std::uint32_t>(options.frame);
    std::unique_ptr<Arrivals> arrivals;
    const Time end = netsim::seconds(options.seconds);
    if (recorded) {
        Recording recording = read_recording(options.trace);
        if (recording.captured && options.overhead < 0) {
            settings.overhead = kPreambleAndGap;
        }
        arrivals = std::make_unique<RecordedArrivals>(std::move(recording.frames));
    } else {
        if (end == 0) {
            throw ConfigError("--seconds: found nothing, expected a number > 0");
        }
        const double service = to_seconds(settings.speed.byte_time) * (frame + settings.overhead);
        arrivals = std::make_unique<PoissonArrivals>(service / options.load, frame, end, options.seed);
    }
    const LinkResult result = run_link(settings, *arrivals, recorded ? 0 : end);
    Report report;
    report_link(report, settings, result, options.watts);
    if (!recorded) {
        report_closed_form(report, settings, frame, options.load);
    }
    if (!options.timeline.empty()) {
        write_timeline(result, options.timeline);
    }
    if (options.report.empty()) {
        print(report);
    } else {
        report.write(options.report);
    }
}

}  // namespace

void add_link(CLI::App& app) {
    CLI::App* link = app.add_subcommand("link", "One direction of one link: its power and the delay it adds");
    auto options = std::make_shared<LinkOptions>();
    LinkOptions& o = *options;
    const CLI::Range microseconds(0.0, kMostMicroseconds);
    link->add_option("--speed", o.speed, "Speed of the link")
        ->check(CLI::IsMember({"100m", "1g", "10g", "40g"}));
    link->add_option("--policy", o.policy, "When the port sleeps and wakes")
        ->check(CLI::IsMember({"legacy", "ideal", "standard", "coalesce", "adaptive"}));
    link->add_option("--hold", o.hold, "coalesce: microseconds that a frame is held")->check(microseconds);
    link->add_option("--trigger", o.trigger, "coalesce: held frames (or bytes) that wake the port")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000'000}));
    link->add_option("--unit", o.unit, "What --trigger counts")->check(CLI::IsMember({"packets", "bytes"}));
    link->add_option("--from", o.from, "Where --hold begins")->check(CLI::IsMember({"arrival", "lpi"}));
    link->add_option("--delay-bound", o.delay_bound, "adaptive: mean delay that may be added, microseconds")
        ->check(CLI::Range(1e-3, kMostMicroseconds));
    link->add_option("--mode", o.mode, "40g: depth of low power idle")
        ->check(CLI::IsMember({"fast-wake", "deep", "dual"}));
    link->add_option("--dwell", o.dwell, "40g, dual: microseconds in fast wake before deep sleep")
        ->check(microseconds);
    link->add_option("--eee", o.eee, "As in ethtool --set-eee")->check(CLI::IsMember({"on", "off"}));
    link->add_option("--tx-lpi", o.tx_lpi, "As in ethtool --set-eee")->check(CLI::IsMember({"on", "off"}));
    link->add_option("--tx-timer,--stall", o.tx_timer,
                     "As in ethtool --set-eee: idle microseconds before sleep")
        ->check(microseconds);
    link->add_flag("--sleep-abort", o.sleep_abort, "A frame ends a transition to sleep at once");
    link->add_option("--lpi-power", o.lpi_power, "Power in low power idle relative to active")
        ->check(CLI::Range(0.0, 1.0));
    link->add_option("--watts", o.watts, "Power of the active port, W; adds watts to the report")
        ->check(CLI::Range(0.0, 1e6));
    link->add_option("--load", o.load, "Poisson arrivals: share of time that sending takes")
        ->check(CLI::Range(1e-9, 1.0 - 1e-9));
    link->add_option("--frame", o.frame, "Poisson arrivals: bytes of a frame")->check(CLI::Range(1, 65536));
    link->add_option("--overhead", o.overhead,
                     "Bytes a frame takes on the wire besides (default: 0, and 20 for captures)")
        ->check(CLI::Range(0, 1000));
    link->add_option("--seconds", o.seconds, "Poisson arrivals: simulated time")
        ->check(CLI::Range(1e-9, kMostSeconds));
    link->add_option("--seed", o.seed, "Of the random numbers");
    link->add_option("--trace", o.trace, "Recorded arrivals: lines t_s,bytes or a capture (pcap)");
    link->add_option("--timeline", o.timeline, "Write the changes of state and queue to this CSV file");
    link->add_option("--report", o.report, "Write a JSON report to this file instead of a summary");
    link->callback([link, options] { run(*link, *options); });
}

}  // namespace netsim::app
