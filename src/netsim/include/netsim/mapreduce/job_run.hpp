#pragma once
/// Run of a stream of jobs on a network, and its metrics.

#include <cstdint>
#include <functional>

#include "netsim/clock.hpp"
#include "netsim/mapreduce/tracker.hpp"
#include "netsim/report.hpp"
#include "netsim/transfers.hpp"

namespace netsim::mapreduce {

class JobRun {
  public:
    /// `config` must outlive the run.
    JobRun(Clock& clock, Transfers& transfers, const Config& config, const Racks& racks, std::uint64_t seed);

    /// Starts the jobs. `finished` is called once, with the end of the last job.
    void start(std::function<void(Time)> finished) { tracker_.start(std::move(finished)); }

    const Tracker& tracker() const { return tracker_; }
    const Config& config() const { return cluster_.config(); }
    /// Returns when the last job becomes ready.
    Time last_ready() const { return tracker_.jobs().back().ready; }
    /// Adds the metrics of the job layer, which JOBS.md lists. The jobs must have ended.
    void report(Report& report);

  private:
    Cluster cluster_;
    Tracker tracker_;
};

}  // namespace netsim::mapreduce
