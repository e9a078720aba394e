#pragma once
/// A run's configuration, as `netsim shuffle` reads it, and its report, as netsim writes it.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "network.hpp"
#include "transfer.hpp"

namespace referee {

/// A configuration that cannot be run: a field is missing or wrong, or it asks for what ns-3 is not made to
/// do here.
class SettingsError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Section "shuffle".
struct ShuffleSettings {
    double mb_per_core = 4;  ///< 1e6 bytes... see `netsim shuffle`
    std::uint32_t reducers_per_worker = 2;
    std::uint32_t copiers = 5;  ///< fetches at once per reducer
};

struct Settings {
    std::uint32_t seed = 1;
    NetworkSettings network;
    TcpSettings tcp;
    ShuffleSettings shuffle;
    double edge_watts = 0;  ///< of a port, always on
    double core_watts = 0;
};

/// Reads the file at `path`. Throws SettingsError with one line that names the field.
Settings read_settings(const std::string& path);

/// Metrics in the order they are added.
class Report {
  public:
    void add(const std::string& name, double value, const std::string& unit,
             const std::string& source = "simulated:ns3");
    /// Energy, power and times of the class `name` ("edge", "core"), whose ports take `watts` each when
    /// always on.
    void add_class(const std::string& name, const ClassTotals& totals, double watts, double seconds);
    /// CPU seconds, peak memory and hops per CPU second of this process.
    void add_own_cost(double cpu_before, std::uint64_t hops);
    /// Writes the whole file or none. Throws std::runtime_error.
    void write(const std::string& path) const;

  private:
    nlohmann::ordered_json metrics_ = nlohmann::ordered_json::array();
};

/// User and system time of this process so far, s.
double cpu_seconds();

}  // namespace referee
