#pragma once
// Requests for exchanges among ranks that map independently, without a collective call per poll.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kvasir/mpi.hpp"

namespace kvasir::detail {

/// Point-to-point requests for round n, and a barrier that ranks enter when they need no more rounds.
class RoundRequests {
  public:
    explicit RoundRequests(const Communicator& comm);
    ~RoundRequests();
    RoundRequests(const RoundRequests&) = delete;
    RoundRequests& operator=(const RoundRequests&) = delete;

    /// Requests `round` from all other ranks.
    void ask(std::uint64_t round);
    /// Completes the requests of a round that has been held.
    void complete();
    /// Returns whether another rank has requested `round`. Drops older requests.
    bool asked(std::uint64_t round);
    /// Enters the barrier: this rank will request no more rounds.
    void enter_barrier();
    /// Waits for a request (false) or for all ranks to have entered the barrier (true).
    bool wait();
    /// Returns the number of requests that this rank has sent to each other one.
    std::uint64_t asks() const { return asks_; }
    /// Receives the requests that are still in flight, of the `sent` ones that the others sent. After the
    /// last round.
    void drain(std::uint64_t sent);

  private:
    void listen();

    const Communicator& comm_;
    MPI_Request incoming_ = MPI_REQUEST_NULL;
    MPI_Request barrier_ = MPI_REQUEST_NULL;
    std::uint64_t received_round_ = 0;
    bool arrived_ = false;  ///< incoming_ has completed in wait() and has not been looked at
    std::uint64_t asked_round_ = 0;
    std::uint64_t asks_ = 0;
    std::uint64_t heard_ = 0;  ///< received from all
    std::vector<MPI_Request> outgoing_;
};

}  // namespace kvasir::detail
