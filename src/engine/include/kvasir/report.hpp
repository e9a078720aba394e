#pragma once
// The JSON report of a job; its fields are described in the engine's README.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kvasir/mpi.hpp"
#include "kvasir/options.hpp"
#include "kvasir/stats.hpp"

namespace kvasir {

/// Head of a report: what is in it besides the statistics of the ranks.
struct ReportHead {
    std::string app;
    std::vector<std::string> inputs;
    std::string keys;  ///< what of the inputs the keys are, for example "words"
    Options options;
    std::optional<std::uint64_t>
        checksum;  ///< of this rank's share of the output; none where there is no output
};

/// Writes the report to `path`, complete or not at all. Collective; throws JobError on every rank on failure.
void write_report(const Communicator& comm, const ReportHead& head, const RankStats& stats,
                  const std::string& path);

/// Writes the events of all ranks as CSV. Collective; throws JobError on every rank on failure.
void write_events(const Communicator& comm, const RankStats& stats, const std::string& path);

/// Gathers the texts of all ranks, in order, on rank 0; returns nothing elsewhere. Collective.
std::vector<std::string> gather_texts(const Communicator& comm, const std::string& text);

/// Returns the contribution of one key and its count to the checksum of an output. The checksum is the sum of
/// these over all keys modulo 2^52: independent of the order, and exact as a JSON number.
std::uint64_t checksum_of(std::string_view key, std::uint64_t count);

/// Adds modulo 2^52.
inline std::uint64_t add_checksums(std::uint64_t a, std::uint64_t b) {
    return (a + b) & ((std::uint64_t{1} << 52U) - 1);
}

}  // namespace kvasir
