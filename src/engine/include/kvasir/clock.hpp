#pragma once
// Time of a rank by phase. At any moment exactly one phase is current, so that the phases add up.

#include <array>
#include <cstddef>
#include <ctime>

namespace kvasir {

/// Phase of a rank. `wait_*`: nothing but waiting for others. `read`: input, apart from mapping it.
enum class Phase { other, read, map, aggregate, convert, reduce, wait_aggregate, wait_barrier, count };

/// Wall and CPU time, s.
struct Spent {
    double wall = 0;
    double cpu = 0;
};

/// Adds up wall and CPU time per phase.
class PhaseClock {
  public:
    PhaseClock() : last_(now()), began_(last_.wall) {}

    /// Makes `next` the current phase; returns the one before.
    Phase enter(Phase next) {
        const Spent moment = now();
        Spent& sum = spent_[static_cast<std::size_t>(current_)];
        sum.wall += moment.wall - last_.wall;
        sum.cpu += moment.cpu - last_.cpu;
        last_ = moment;
        left_[static_cast<std::size_t>(current_)] = moment.wall;
        double& first = entered_first_[static_cast<std::size_t>(next)];
        first = first == 0 ? moment.wall : first;
        const Phase before = current_;
        current_ = next;
        return before;
    }

    /// Returns the sum over all stays in `phase` that have ended.
    const Spent& spent(Phase phase) const { return spent_[static_cast<std::size_t>(phase)]; }

    /// Returns the time from entering `second` first to leaving `first` last: positive where the two
    /// interleave, negative or 0 where one follows the other, 0 also without a stay in either.
    double overlap(Phase first, Phase second) const {
        const double begin = entered_first_[static_cast<std::size_t>(second)];
        const double end = left_[static_cast<std::size_t>(first)];
        return begin == 0 || end == 0 ? 0 : end - begin;
    }

    /// Times of construction and of entering the current phase: their difference is the sum over all phases.
    double began() const { return began_; }
    double entered() const { return last_.wall; }

    /// Returns seconds of the monotonic clock, which all processes of a host share.
    static double monotonic() { return seconds(CLOCK_MONOTONIC); }

  private:
    static double seconds(clockid_t id) {
        timespec t{};
        clock_gettime(id, &t);
        return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    }
    static Spent now() { return {monotonic(), seconds(CLOCK_THREAD_CPUTIME_ID)}; }

    std::array<Spent, static_cast<std::size_t>(Phase::count)> spent_{};
    std::array<double, static_cast<std::size_t>(Phase::count)> entered_first_{};  ///< 0: never
    std::array<double, static_cast<std::size_t>(Phase::count)> left_{};           ///< last; 0: never
    Phase current_ = Phase::other;
    Spent last_;
    double began_;
};

/// Stays in a phase until the end of the scope, then returns to the one before.
class PhaseScope {
  public:
    PhaseScope(PhaseClock& clock, Phase phase) : clock_(clock), before_(clock.enter(phase)) {}
    ~PhaseScope() { clock_.enter(before_); }
    PhaseScope(const PhaseScope&) = delete;
    PhaseScope& operator=(const PhaseScope&) = delete;

  private:
    PhaseClock& clock_;
    Phase before_;
};

}  // namespace kvasir
