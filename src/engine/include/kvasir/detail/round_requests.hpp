#pragma once
// How ranks that map on their own learn that another one wants an exchange, without a collective call per
// look.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kvasir/mpi.hpp"

namespace kvasir::detail {

/// Point-to-point messages "I want round n", and a barrier that ranks enter when they need no more rounds.
class RoundRequests {
  public:
    explicit RoundRequests(const Communicator& comm);
    ~RoundRequests();
    RoundRequests(const RoundRequests&) = delete;
    RoundRequests& operator=(const RoundRequests&) = delete;

    /// Tells all other ranks that this one wants `round`.
    void ask(std::uint64_t round);
    /// The round asked for has been held: everyone has come.
    void complete();
    /// Whether someone asked for `round`. Older requests are dropped on the way.
    bool asked(std::uint64_t round);
    /// Says that this rank will ask no more.
    void enter_barrier();
    /// Waits for a request (false) or for all ranks to have entered the barrier (true).
    bool wait();
    /// Requests this rank has sent to each other one.
    std::uint64_t asks() const { return asks_; }
    /// Takes the requests that are still under way, of the `sent` ones the others sent. After the last round.
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
