#pragma once
// Output of word counts.

#include <cstddef>
#include <cstdint>
#include <string>

#include "app.hpp"

namespace kvasir::app {

/// Returns this rank's share of the checksum of all counts.
std::uint64_t checksum(const Counts& counts);

/// Writes "word<TAB>count" lines, each ended by `terminator`, `folder`/part-<rank> from each rank. Files get
/// their names when all ranks have written all of theirs. Collective; throws JobError on every rank on
/// failure, and leaves no part behind.
void write_parts(const Communicator& comm, const Counts& counts, const std::string& folder, char terminator);

/// Prints the `most` commonest words of all ranks, ties in the order of their bytes, from rank 0. Collective.
void print_top(const Communicator& comm, const Counts& counts, std::size_t most, char terminator);

}  // namespace kvasir::app
