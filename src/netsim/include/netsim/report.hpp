#pragma once
/// What a run found, as the harness reads it.

#include <string>
#include <string_view>
#include <vector>

namespace netsim {

inline constexpr std::string_view kSimulated = "simulated:netsim";

/// One number.
struct Metric {
    std::string name;
    double value;
    std::string unit;
    std::string source;
};

/// The metrics of a run, in the order they were added.
class Report {
  public:
    void add(std::string_view name, double value, std::string_view unit,
             std::string_view source = kSimulated);
    const std::vector<Metric>& metrics() const { return metrics_; }
    /// The value of that name; NaN if there is none.
    double value(std::string_view name) const;
    /// The document as JSON; numbers in the shortest form that reads back equal, those that are none as null.
    std::string json() const;
    /// Writes the document completely or not at all. Throws Error naming the file.
    void write(const std::string& path) const;

  private:
    std::vector<Metric> metrics_;
};

/// Writes a file completely or not at all. Throws Error naming it.
void write_file(const std::string& path, std::string_view text);

}  // namespace netsim
