#pragma once
// Output of a job: one file of each rank in a folder.

#include <functional>
#include <string>

#include "kvasir/atomic_file.hpp"
#include "kvasir/mpi.hpp"

namespace kvasir::app {

/// Makes `folder`, which must not hold parts yet, and writes `folder`/part-<rank> from each rank by
/// write(file). Files get their names when all ranks have written all of theirs. Collective; throws JobError
/// on every rank on failure, and leaves no part behind.
void write_part_files(const Communicator& comm, const std::string& folder,
                      const std::function<void(AtomicFile&)>& write);

}  // namespace kvasir::app
