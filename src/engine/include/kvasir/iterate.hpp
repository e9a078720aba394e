#pragma once
// Jobs in rounds, each of which starts from what the one before left on each rank.

#include <utility>

#include "kvasir/mpi.hpp"

namespace kvasir {

/// Calls step() on all ranks until the sum over all ranks of what it returns, this rank's change, is at most
/// `tolerance`, or `most` times. Returns the number of calls. Keys stay where they are from one map_reduce()
/// to the next of the same type of key with Balance::hash, so that each rank can keep the state of its own.
/// Collective.
template <class Step>
int iterate(const Communicator& comm, int most, double tolerance, Step&& step) {
    int rounds = 0;
    while (rounds < most) {
        ++rounds;
        if (sum_over_ranks(comm, step()) <= tolerance) {
            break;
        }
    }
    return rounds;
}

}  // namespace kvasir
