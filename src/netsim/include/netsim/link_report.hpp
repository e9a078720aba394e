#pragma once
/// Metrics of a single link.

#include <string>

#include "netsim/link_run.hpp"
#include "netsim/report.hpp"

namespace netsim {

/// Adds power, states, waits and, if `watts` (power of the active port) is not 0, energy.
void report_link(Report& report, const LinkSettings& settings, const LinkResult& result, double watts);

/// Adds the closed-form values of the same link under Poisson arrivals, where its settings have one.
void report_closed_form(Report& report, const LinkSettings& settings, std::uint32_t frame_bytes, double load);

/// Writes the changes of state and queue as lines t_s,host,domain,metric,value,unit,source. Throws Error.
void write_timeline(const LinkResult& result, const std::string& path);

}  // namespace netsim
