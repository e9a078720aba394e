#pragma once
/// Shuffle of a single MapReduce job: every reducer fetches a share of every other worker's map output.

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "netsim/config.hpp"
#include "netsim/fabric.hpp"

namespace netsim {

struct ShuffleConfig {
    double mb_per_core = 128;  ///< map output, MiB
    int cores_per_worker = 2;
    int reducers_per_worker = 2;
    int copiers = 5;  ///< fetches of a reducer at a time
};

ShuffleConfig read_shuffle(const nlohmann::json& document);

/// Host 0 takes no part in a two-rack cluster, where it is the job tracker. Every reducer fetches from the
/// workers in an order of its own. The shuffle ends when the last byte has arrived.
class Shuffle final : public TransferDone {
  public:
    Shuffle(const ShuffleConfig& config, Fabric& fabric);

    /// Schedules the first fetches; Fabric::run() then runs the shuffle and stops at its end.
    void start();
    void on_transfer(Time now, std::uint64_t tag) override;

    Time end() const { return end_; }
    std::uint64_t transfers() const { return transfers_; }
    std::uint64_t bytes() const { return transfers_ * bytes_per_fetch_; }

  private:
    struct Reducer {
        int host;
        std::vector<int> servers;
        std::size_t next = 0;
    };

    void fetch_next(Time now, std::size_t reducer);

    Fabric& fabric_;
    int copiers_;
    std::uint64_t bytes_per_fetch_ = 0;
    std::vector<Reducer> reducers_;
    std::uint64_t open_ = 0;
    std::uint64_t transfers_ = 0;
    Time end_ = 0;
};

}  // namespace netsim
