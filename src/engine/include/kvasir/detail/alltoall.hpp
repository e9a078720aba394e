#pragma once
// All-to-all exchange of arrays of 64-bit words of any length.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kvasir/memory.hpp"
#include "kvasir/mpi.hpp"

namespace kvasir::detail {

/// Words that a rank sends: `words[r]` words at `data[r]` to rank r.
struct Outgoing {
    std::vector<const std::uint64_t*> data;
    std::vector<std::size_t> words;
    const std::uint64_t* base = nullptr;  ///< where all of them lie in one array: its begin; saves a copy

    explicit Outgoing(int ranks) : data(static_cast<std::size_t>(ranks)), words(data.size()) {}
};

/// Received words, in the order of the ranks they came from.
struct Incoming {
    WordBuffer buffer;
    std::vector<std::size_t> words;

    explicit Incoming(int ranks) : words(static_cast<std::size_t>(ranks)) {}
};

/// Exchanges by MPI_Alltoallv. MPI counts in int: longer messages go in several calls of at most `limit`
/// words per pair of ranks (0: what int allows). `incoming.words` must hold what each rank sends; its buffer
/// is grown where needed. `most` is the longest message between any two ranks. Returns the number of calls.
/// Collective.
std::uint64_t alltoallv(const Communicator& comm, const Outgoing& outgoing, Incoming& incoming,
                        std::size_t most, std::size_t limit, MemoryMeter& meter);

/// Exchanges lengths first, where the receivers do not know them, then words as above.
std::uint64_t alltoallv(const Communicator& comm, const Outgoing& outgoing, Incoming& incoming,
                        std::size_t limit, MemoryMeter& meter);

}  // namespace kvasir::detail
