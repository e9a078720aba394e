#pragma once
/// One run of a stream of jobs on a network, and what it found.

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
    /// When the last job becomes ready.
    Time last_ready() const { return tracker_.jobs().back().ready; }
    /// Adds the metrics of the job layer. The jobs must have ended.
    ///
    /// | metric | unit | meaning |
    /// | --- | --- | --- |
    /// | makespan | s | from the first job's start to the last one's end |
    /// | runtime.mean | s | from a job being ready to its end, mean over jobs; runtime.mean.<kind>: over
    /// those of a kind | | jobs | 1 | jobs that have ended | | cpu.load | 1 | core time spent over that of
    /// all worker cores in the makespan | | cpu.load.arriving | 1 | the same until the last job came (not for
    /// one job) | | cpu.demand | s | core time that the jobs were expected to need | | map.mean,
    /// shuffle.mean, reduce.mean | s | mean over tasks: a map; a reduce from the start of its JVM's end to
    /// its last fetch; and from there to its end | | maps.local, maps.rack | 1 | share of maps on a node, or
    /// in a rack, with their block | | input.bytes, shuffle.bytes, output.bytes | B | of all jobs; .remote:
    /// those that crossed the network |
    void report(Report& report);

  private:
    Cluster cluster_;
    Tracker tracker_;
};

}  // namespace netsim::mapreduce
