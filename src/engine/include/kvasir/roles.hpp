#pragma once
// Roles of processes in a bipartite job, as in DataMPI: O ranks read and send, A ranks receive and write.

#include <mpi.h>

#include <optional>
#include <string>

#include "kvasir/error.hpp"
#include "kvasir/mpi.hpp"

namespace kvasir {

/// Placement of O and A ranks in the processes of a job.
enum class Placement {
    shared,  ///< process i is O rank i and A rank i: all cores work in both halves
    split,   ///< the first processes are O ranks, those behind them A ranks
};

/// Roles of this process.
class Roles {
  public:
    /// 0 ranks: as many as there are processes (split: half of them, A the smaller half). Collective; throws
    /// Error, on all ranks, where the processes do not suffice or would be idle.
    Roles(const Communicator& world, int o_ranks, int a_ranks, Placement placement);

    int o_ranks() const { return o_ranks_; }
    int a_ranks() const { return a_ranks_; }
    bool is_o() const { return o_.has_value(); }
    bool is_a() const { return a_.has_value(); }
    /// Communicators of the O and the A ranks; only where this process is one.
    const Communicator& o() const { return *o_; }
    const Communicator& a() const { return *a_; }
    /// Returns the process of an O or A rank.
    int process_of_o(int rank) const { return rank; }
    int process_of_a(int rank) const { return first_a_ + rank; }

  private:
    int o_ranks_;
    int a_ranks_;
    int first_a_ = 0;
    std::optional<Communicator> o_;
    std::optional<Communicator> a_;
};

}  // namespace kvasir
