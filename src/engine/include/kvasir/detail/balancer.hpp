#pragma once
// Dynamic repartition: now and then all ranks tell each other, without waiting, how many records of each bin
// of the hash they have sent, and all compute the same new owners of the bins. A rank contributes when it has
// sent a certain number of records, not at a certain time, so that the owners follow from the input alone (as
// long as that is shared out statically and records are not combined before they are sent). Records that were
// sent before their bin moved are sent on in the end (rebalance.hpp).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kvasir/detail/router.hpp"
#include "kvasir/mpi.hpp"
#include "kvasir/options.hpp"

namespace kvasir::detail {

/// Returns the owners of bins after moving bins from the fullest rank to the emptiest, as long as the fullest
/// holds more than `factor` times the mean. `load` is the number of records of each bin. Same result for same
/// arguments.
std::vector<int> balanced_owners(std::vector<int> owners, const std::vector<std::uint64_t>& load, int ranks,
                                 double factor);

/// Collects the counts of one rank, exchanges them with the others' and updates the rank's router.
class Balancer {
  public:
    Balancer(MPI_Comm parent, Router& router, const Options& options);

    /// Contributes when it is due, and applies an epoch that everyone has contributed to. Called between
    /// slices of input.
    void poll(std::uint64_t records_sent);
    /// Contributes for the last time, when this rank has mapped everything.
    void end_of_map();
    /// Waits for all contributions and computes the final owners. Collective.
    void finish();

  private:
    static constexpr std::size_t kEpochs = 7;  ///< the last one is the end of the map
    static constexpr std::size_t kCandidates = 32;

    struct Epoch {
        std::vector<std::uint64_t> mine;
        std::vector<std::uint64_t> all;
        MPI_Request request = MPI_REQUEST_NULL;
    };

    void contribute();
    void apply(const std::vector<std::uint64_t>& all);
    /// Splits keys that burden a rank, and takes the records of all split keys off the load of their bins:
    /// they burden nobody.
    void split_frequent(const std::vector<std::uint64_t>& all, std::vector<std::uint64_t>& load);

    Communicator comm_;
    Router& router_;
    double factor_;
    bool split_;
    std::uint64_t due_;  ///< records after which the next contribution is made
    std::vector<Epoch> epochs_;
    std::size_t applied_ = 0;
};

}  // namespace kvasir::detail
