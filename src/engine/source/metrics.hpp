#pragma once
// Metrics of a job from the reports of its ranks. Pure functions over the ranks' JSON.

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "kvasir/clock.hpp"

namespace kvasir {

/// Phases that the report tells apart, by name.
const std::vector<std::pair<const char*, Phase>>& phase_names();

/// Metric -> {value, unit, source} or, where it could not be had, {value: null, unit, source: "none",
/// reason}.
nlohmann::ordered_json metrics(const nlohmann::ordered_json& ranks);

/// Begin and end of the two halves on the monotonic clock of rank 0's host, s.
nlohmann::ordered_json windows(const nlohmann::ordered_json& ranks);

}  // namespace kvasir
