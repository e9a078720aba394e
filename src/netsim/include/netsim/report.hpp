#pragma once
/// Report of a run in the format that the harness reads.

#include <string>
#include <string_view>
#include <vector>

namespace netsim {

inline constexpr std::string_view kSimulated = "simulated:netsim";

/// Number with unit and source.
struct Metric {
    std::string name;
    double value;
    std::string unit;
    std::string source;
};

/// Metrics of a run, in the order they were added.
class Report {
  public:
    void add(std::string_view name, double value, std::string_view unit,
             std::string_view source = kSimulated);
    const std::vector<Metric>& metrics() const { return metrics_; }
    /// Returns the value of a name; NaN if there is none.
    double value(std::string_view name) const;
    /// Returns the report as JSON: numbers in the shortest form that reads back equal, NaN as null.
    std::string json() const;
    /// Writes the report completely or not at all. Throws Error naming the file.
    void write(const std::string& path) const;

  private:
    std::vector<Metric> metrics_;
};

/// Writes a file completely or not at all. Throws Error naming it.
void write_file(const std::string& path, std::string_view text);

}  // namespace netsim
