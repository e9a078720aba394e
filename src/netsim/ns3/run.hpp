#pragma once
/// Shared by the referee's programs: configuration and report in netsim's formats.

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "netsim/config.hpp"
#include "netsim/report.hpp"
#include "network.hpp"
#include "transfer.hpp"

namespace referee {

/// Source of what ns-3 simulates.
inline constexpr std::string_view kSimulated = "simulated:ns3";

/// Parses the core's part of a document. Throws netsim::ConfigError also for what netsim has and the referee
/// has not.
netsim::Config read_config(const nlohmann::json& document, const std::vector<std::string>& others);

/// Configures ns-3 for a run; to be called once, before any node exists.
void begin(const netsim::Config& config);

/// Adds what `netsim shuffle` reports too: makespan, energies, times, counts, and the cost of this process,
/// whose CPU time at the begin was `cpu_before`.
void add_results(netsim::Report& report, const netsim::Config& config, const Network& network,
                 const Transfers& transfers, netsim::Time makespan, double cpu_before);

/// User and system time of this process so far, s.
double cpu_seconds();

/// Runs the body of a program: calls `run`, prints errors as one line. Returns the exit code: 0, 2 for a
/// wrong configuration, 1 for anything else.
int guarded(const char* program, const std::function<void()>& run);

}  // namespace referee
