/// netsim: a packet-level simulator of Ethernet clusters with Energy Efficient Ethernet.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "commands.hpp"
#include "netsim/error.hpp"

void netsim::app::print(const Report& report) {
    for (const Metric& metric : report.metrics()) {
        (void)std::printf("%-20s %.6g %s\n", metric.name.c_str(), metric.value,
                          metric.unit == "1" ? "" : metric.unit.c_str());
    }
}

int main(int argc, char** argv) {
    CLI::App app("Packet-level simulator of Ethernet clusters with Energy Efficient Ethernet");
    app.require_subcommand(1);
    netsim::app::add_link(app);
    netsim::app::add_run(app);
    netsim::app::add_shuffle(app);
    netsim::app::add_config(app);
    constexpr int kUsage = 2;
    try {
        app.parse(argc, argv);
        return 0;
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        (void)std::fprintf(stderr, "error: %s (see --help)\n", error.what());
        return kUsage;
    } catch (const netsim::ConfigError& error) {
        (void)std::fprintf(stderr, "error: %s\n", error.what());
        return kUsage;
    } catch (const std::exception& error) {
        (void)std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
