#pragma once
// The JSON report of a job of Mimir, in the format of the engine's: what Mimir does not tell is empty, with
// the reason.

#include <string>

#include "kvasir/mpi.hpp"
#include "mimir_words.hpp"

namespace kvasir::mimir {

/// Writes the report to `path`, complete or not at all. Collective; throws JobError on every rank on failure.
void write_report(const Communicator& comm, const Job& job, const Outcome& outcome, const std::string& path);

/// Writes the counts of each rank as lines "word<TAB>count" to `folder`/part-<rank>. Collective; throws as
/// above.
void write_parts(const Communicator& comm, const Outcome& outcome, const std::string& folder);

}  // namespace kvasir::mimir
