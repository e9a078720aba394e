#pragma once
/// A device that its tasks share evenly (processor sharing): the cores of a node, or its disk.

#include <coroutine>
#include <cstdint>
#include <vector>

#include "netsim/clock.hpp"
#include "netsim/time.hpp"

namespace netsim::mapreduce {

/// `units` equal servers, shared by any number of tasks. A task uses one unit at most: with n tasks each
/// advances at the rate min(1, units / n). All arithmetic is in whole picoseconds, so that results do not
/// depend on the machine.
class SharedServer final : public Handler {
  public:
    /// `units`: 2 for a node with the throughput of two cores, 1 for a disk.
    SharedServer(Clock& clock, int units) : clock_(clock), units_(units) {}

    void on_event(Time now, std::uint64_t generation) override;

    /// Awaitable: `work` picoseconds of one unit have been spent on this task. No work takes no time.
    auto serve(Time work) {
        struct Awaiter {
            SharedServer& server;
            Time work;
            bool await_ready() const { return work <= 0; }
            void await_suspend(std::coroutine_handle<> process) { server.begin(work, process); }
            void await_resume() {}
        };
        return Awaiter{*this, work};
    }

    /// Returns the unit-picoseconds spent so far: divided by `units` and by time, the utilisation.
    Time busy(Time now) const;
    /// Returns the number of tasks being served.
    int tasks() const { return static_cast<int>(heap_.size()); }
    int units() const { return units_; }

  private:
    struct Task {
        Time end;  ///< on the virtual clock, which advances by the work that each task gets
        std::uint64_t order;
        std::coroutine_handle<> process;
    };
    /// For a heap with the earliest end on top; equal ends in the order of their begin.
    static bool later(const Task& a, const Task& b) {
        return a.end != b.end ? a.end > b.end : a.order > b.order;
    }
    void begin(Time work, std::coroutine_handle<> process);
    void advance(Time now);
    void plan(Time now);

    Clock& clock_;
    int units_;
    std::vector<Task> heap_;
    std::vector<std::coroutine_handle<>> ended_;
    Time virtual_now_ = 0;
    Time since_ = 0;  ///< when virtual_now_ was brought up to date
    Time busy_ = 0;
    std::uint64_t order_ = 0;
    std::uint64_t generation_ = 0;  ///< of the pending call; older ones are out of date
};

}  // namespace netsim::mapreduce
