#pragma once
// Shared by all jobs on HDFS: roles, assignment of splits, errors, output and times of one process.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kvasir/bipartite.hpp"
#include "kvasir/hdfs/file_stream.hpp"
#include "kvasir/hdfs/splits.hpp"
#include "options.hpp"

namespace kvasir::jobs {

/// Time span of a phase of an O or A rank, seconds since 1970.
struct Span {
    std::string kind;   ///< map (O rank) or reduce (A rank)
    std::string phase;  ///< map; shuffle, merge, reduce
    double start;
    double end;
};

/// Returns seconds since 1970.
double wall_time();

class Job {
  public:
    /// Collective; throws Error on all ranks.
    Job(const Communicator& world, const JobOptions& options);
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    const Communicator& world() const { return world_; }
    const JobOptions& options() const { return options_; }
    const Roles& roles() const { return roles_; }
    hdfs::Client& client() { return client_; }
    BipartiteState& state() { return state_; }
    const std::vector<hdfs::FileStatus>& files() const { return files_; }
    const std::vector<hdfs::Split>& splits() const { return splits_; }  ///< of this O rank
    std::size_t splits_of_all() const { return splits_of_all_; }

    /// Runs `action`; if it throws on any rank, all ranks throw JobError. Collective.
    template <class Action>
    void together(Action&& action) {
        state_.together(std::forward<Action>(action));
    }

    /// Runs the half of O: calls map(split) for each of this rank's splits and then `flush`, receives what
    /// arrives meanwhile, and returns when this rank has everything that is sent to it. All ranks throw if
    /// one fails. Collective.
    template <class Exchange, class Map, class Flush>
    void map_and_exchange(Exchange& exchange, Map&& map, Flush&& flush) {
        const double begin = wall_time();
        try {
            for (const hdfs::Split& split : splits_) {
                if (!state_.stopped()) {
                    map(split);
                }
            }
            if (!state_.stopped()) {
                flush();
            }
        } catch (...) {
            state_.fail();
        }
        if (roles_.is_o()) {
            note("map", "map", begin);
        }
        exchange.finish();
        if (roles_.is_a()) {
            note("reduce", "shuffle", begin);
        }
        together([] {});
    }

    /// Runs `action` as the sorting of what this rank has received. All ranks throw if one fails. Collective.
    template <class Action>
    void merge(Action&& action) {
        together([&] {
            const double begin = wall_time();
            PhaseScope phase(state_.clock(), Phase::convert);
            action();
            if (roles_.is_a()) {
                note("reduce", "merge", begin);
            }
        });
    }

    /// Counts what a container of received records had no room for, for the report.
    void count_spilled(const Spilled& spilled) { spilled_ += spilled; }
    const Spilled& spilled() const { return spilled_; }

    /// Polls incoming records; returns false when the job must stop.
    template <class Exchange>
    bool go_on(Exchange& exchange) {
        exchange.poll();
        return !state_.stopped();
    }

    /// Records a span from `begin` until now.
    void note(const char* kind, const char* phase, double begin) {
        spans_.push_back({kind, phase, begin, wall_time()});
    }

    /// Runs the half of A: writes this rank's part by `write(sink)`. Parts get their names when all are
    /// written. Collective.
    void write_parts(const std::function<void(hdfs::ByteSink&)>& write);

    /// Removes the output of a job that failed. Never throws.
    void clean_up() noexcept;

    /// A number of the whole job for the report; the same on all ranks.
    void set_fact(const std::string& name, std::uint64_t value) { facts_[name] = value; }
    std::uint64_t sum_over_ranks(std::uint64_t mine) const;

    /// Writes the report, if one is wanted. `ready`: when MPI was up. Collective.
    void write_report(double ready);

  private:
    void plan();
    std::string make_plan(const std::vector<std::string>& names_of_o);
    std::string part_name() const;
    void write_part(const std::string& path, const std::function<void(hdfs::ByteSink&)>& write);

    const Communicator& world_;
    JobOptions options_;
    Roles roles_;
    hdfs::Client client_;
    BipartiteState state_;
    std::vector<hdfs::FileStatus> files_;
    std::vector<hdfs::Split> splits_;
    std::size_t splits_of_all_ = 0;
    std::vector<Span> spans_;
    std::map<std::string, std::uint64_t> facts_;
    Spilled spilled_;
    bool made_output_ = false;
};

/// The jobs. Collective; they throw JobError on all ranks.
void count_words(Job& job);
void grep(Job& job);
void sort(Job& job);
void tera_sort(Job& job);
void page_rank(Job& job);

}  // namespace kvasir::jobs
