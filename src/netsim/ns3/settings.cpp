#include "settings.hpp"

#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>

namespace referee {
namespace {

using nlohmann::json;

/// One object of the configuration, with its place in it for messages.
class Section {
  public:
    Section(const json& object, std::string path) : object_(object), path_(std::move(path)) {
        if (!object.is_object()) {
            fail("", "expected an object");
        }
    }

    Section inner(const std::string& key) const { return {at(key), path_of(key)}; }
    bool has(const std::string& key) const { return object_.contains(key); }

    template <class T>
    T get(const std::string& key) const {
        try {
            return at(key).get<T>();
        } catch (const json::exception&) {
            fail(key, "found " + at(key).dump() + ", of the wrong type");
        }
    }

    template <class T>
    T get(const std::string& key, T otherwise) const {
        return has(key) ? get<T>(key) : otherwise;
    }

    /// A number not below `low`.
    double number(const std::string& key, double otherwise, double low = 0) const {
        const auto value = get<double>(key, otherwise);
        if (!std::isfinite(value) || value < low) {
            fail(key, "found " + std::to_string(value) + ", expected a number >= " + std::to_string(low));
        }
        return value;
    }

    /// Refuses anything but `only`: the referee has nothing else.
    template <class T>
    void only(const std::string& key, const T& only) const {
        if (has(key) && get<T>(key) != only) {
            fail(key, "found " + at(key).dump() + ", the referee has only " + json(only).dump());
        }
    }

    [[noreturn]] void fail(const std::string& key, const std::string& what) const {
        throw SettingsError(path_of(key) + ": " + what);
    }

  private:
    const json& at(const std::string& key) const {
        const auto found = object_.find(key);
        if (found == object_.end()) {
            fail(key, "is missing");
        }
        return *found;
    }

    std::string path_of(const std::string& key) const {
        return path_.empty() || key.empty() ? path_ + key : path_ + "." + key;
    }

    const json& object_;
    std::string path_;
};

netsim::eee::PortSettings read_port(const Section& section, const netsim::eee::Speed& speed,
                                    const Section& eee) {
    using netsim::eee::PortSettings;
    const netsim::Time stall = netsim::microseconds(section.number("stall_us", 0));
    const auto policy = section.get<std::string>("policy");
    PortSettings port = PortSettings::standard(speed, stall);
    if (policy == "legacy") {
        port = PortSettings::legacy(speed);
    } else if (policy == "ideal") {
        port = PortSettings::ideal(speed);
    } else if (policy == "coalesce") {
        const auto trigger = static_cast<std::uint64_t>(section.number("trigger", 1, 1));
        port = PortSettings::coalesce(speed, netsim::microseconds(section.number("hold_us", 0)), trigger);
        port.stall = stall;
        port.trigger_bytes = section.get<std::string>("unit", "packets") == "bytes";
        port.hold_from_lpi = section.get<std::string>("from", "arrival") != "arrival";
    } else if (policy != "standard") {
        section.fail("policy",
                     "found \"" + policy + "\", the referee has legacy, ideal, standard and coalesce");
    }
    port.sleep_abort = eee.get<bool>("sleep_abort", false);
    const double low = eee.number("lpi_power", 0.1);
    for (auto& level : port.level) {
        level.power = low;
    }
    return port;
}

/// Link class `name`; `watts` gets the power of one of its ports.
LinkClass read_class(const Section& root, const std::string& name, double& watts) {
    const Section topology = root.inner("topology");
    const Section eee = root.inner("eee");
    const auto key = topology.get<std::string>(name);
    const auto speed = netsim::eee::find_speed(key);
    if (!speed || speed->dual) {
        topology.fail(name, "found \"" + key + "\", the referee has 100m, 1g and 10g");
    }
    LinkClass link;
    link.port = read_port(eee.inner(name), *speed, eee);
    link.byte_time = speed->byte_time;
    const Section latency = root.inner("latency");
    link.delay = netsim::microseconds(latency.number(name + "_us", 0) + latency.number("added_us", 0));
    watts = eee.has("watts") ? eee.inner("watts").number(key, 1) : 1;
    return link;
}

TcpSettings read_tcp(const Section& section) {
    TcpSettings tcp;
    tcp.flavour = section.get<std::string>("flavour", tcp.flavour);
    tcp.sack = section.get<bool>("sack", tcp.sack);
    tcp.window_bytes = static_cast<std::uint32_t>(section.number("window_bytes", tcp.window_bytes, 1));
    tcp.mss = static_cast<std::uint32_t>(section.number("mss", tcp.mss, 1));
    tcp.initial_window = static_cast<std::uint32_t>(section.number("initial_window", tcp.initial_window, 1));
    tcp.delayed_ack = static_cast<std::uint32_t>(section.number("delayed_ack", tcp.delayed_ack, 1));
    tcp.delayed_ack_ms = section.number("delayed_ack_ms", tcp.delayed_ack_ms);
    tcp.rto_min_ms = section.number("rto_min_ms", tcp.rto_min_ms);
    tcp.rto_initial_ms = section.number("rto_initial_ms", tcp.rto_initial_ms);
    section.only("reuse_connections", false);
    section.only("syn_loss", true);
    return tcp;
}

}  // namespace

Settings read_settings(const std::string& path) {
    std::ifstream file(path);
    if (!file) {
        throw SettingsError(path + ": cannot be read");
    }
    const json whole = json::parse(file, nullptr, false);
    if (whole.is_discarded()) {
        throw SettingsError(path + ": is no JSON");
    }
    const Section root(whole, "");
    Settings settings;
    settings.seed = root.get<std::uint32_t>("seed");
    const Section topology = root.inner("topology");
    topology.only("kind", std::string("two-rack"));
    NetworkSettings& network = settings.network;
    network.nodes = static_cast<std::size_t>(topology.number("nodes", 24, 3));
    network.edge = read_class(root, "edge", settings.edge_watts);
    network.core = read_class(root, "core", settings.core_watts);
    network.buffer_bytes = static_cast<std::uint32_t>(root.number("buffer_bytes", 131072, 2048));
    network.seed = settings.seed;
    if (root.has("queue")) {
        root.inner("queue").only("kind", std::string("drop-tail"));
    }
    root.inner("eee").only("symmetric_lpi", false);
    const Section tcp = root.inner("tcp");
    settings.tcp = read_tcp(tcp);
    network.jitter = netsim::microseconds(tcp.number("jitter_us", 10));
    if (root.has("shuffle")) {
        const Section shuffle = root.inner("shuffle");
        settings.shuffle.mb_per_core = shuffle.number("mb_per_core", 4);
        settings.shuffle.reducers_per_worker =
            static_cast<std::uint32_t>(shuffle.number("reducers_per_worker", 2, 1));
        settings.shuffle.copiers = static_cast<std::uint32_t>(shuffle.number("copiers", 5, 1));
    }
    return settings;
}

void Report::add(const std::string& name, double value, const std::string& unit, const std::string& source) {
    metrics_.push_back({{"name", name}, {"value", value}, {"unit", unit}, {"source", source}});
}

void Report::add_class(const std::string& name, const ClassTotals& totals, double watts, double seconds) {
    const double all = seconds * static_cast<double>(totals.directions);
    const auto share = [&](double part) { return all > 0 ? part / all : 0; };
    // A port is both directions; its power is the mean of theirs.
    add("energy." + name, totals.full_seconds * watts / 2, "J");
    add("energy.port." + name, share(totals.full_seconds) * seconds * watts, "J");
    add("power." + name + ".rel", share(totals.full_seconds), "1");
    add("time.active." + name, share(totals.active), "1");
    add("time.sleep." + name, share(totals.sleep), "1");
    add("time.lpi." + name, share(totals.low), "1");
    add("time.wake." + name, share(totals.wake), "1");
    add("utilisation." + name, share(totals.busy), "1");
}

void Report::add_own_cost(double cpu_before, std::uint64_t hops) {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const double cpu = cpu_seconds() - cpu_before;
    constexpr double kKibi = 1024;
    add("sim.cpu", cpu, "s", "measured:rusage");
    add("sim.memory", static_cast<double>(usage.ru_maxrss) * kKibi, "B", "measured:rusage");
    add("sim.rate", cpu > 0 ? static_cast<double>(hops) / cpu : 0, "1/s", "measured:rusage");
}

void Report::write(const std::string& path) const {
    const std::string part = path + ".part";
    const nlohmann::ordered_json whole = {{"schema", "kvasir-report-1"}, {"metrics", metrics_}};
    std::ofstream file(part);
    file << whole.dump(1) << '\n';
    file.close();
    if (!file || std::rename(part.c_str(), path.c_str()) != 0) {
        (void)std::remove(part.c_str());
        throw std::runtime_error(path + ": cannot be written");
    }
}

double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace referee
