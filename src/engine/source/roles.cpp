#include "kvasir/roles.hpp"

#include <algorithm>

#include "kvasir/wait.hpp"

namespace kvasir {
namespace {

/// Splits off the communicator of those processes for which `member` holds.
void make(std::optional<Communicator>& to, const Communicator& world, bool member) {
    MPI_Comm part = MPI_COMM_NULL;
    barrier(world);  // a split has no nonblocking form
    check_mpi(MPI_Comm_split(world.get(), member ? 0 : MPI_UNDEFINED, world.rank(), &part), "MPI_Comm_split");
    if (member) {
        to.emplace(part);
        MPI_Comm_free(&part);
    }
}

}  // namespace

Roles::Roles(const Communicator& world, int o_ranks, int a_ranks, Placement placement)
    : o_ranks_(o_ranks), a_ranks_(a_ranks) {
    const int processes = world.size();
    const bool shared = placement == Placement::shared;
    if (o_ranks_ == 0) {
        o_ranks_ = shared ? processes : a_ranks_ == 0 ? (processes + 1) / 2 : processes - a_ranks_;
    }
    if (a_ranks_ == 0) {
        a_ranks_ = shared ? processes : processes - o_ranks_;
    }
    first_a_ = shared ? 0 : o_ranks_;
    const int needed = shared ? std::max(o_ranks_, a_ranks_) : o_ranks_ + a_ranks_;
    if (o_ranks_ < 1 || a_ranks_ < 1 || needed != processes) {
        throw Error(std::to_string(o_ranks_) + " O and " + std::to_string(a_ranks_) + " A ranks, " +
                    (shared ? "shared" : "split") + ", need " +
                    std::to_string(std::max(needed, shared ? 1 : 2)) + " processes, there are " +
                    std::to_string(processes) +
                    "; start as many, or change --o-ranks, --a-ranks or --placement");
    }
    make(o_, world, world.rank() < o_ranks_);
    make(a_, world, world.rank() >= first_a_ && world.rank() < first_a_ + a_ranks_);
}

}  // namespace kvasir
