#include "netsim/link_run.hpp"

#include <algorithm>
#include <deque>

#include "netsim/eee/transmitter.hpp"

namespace netsim {
namespace {

class LinkRun {
  public:
    explicit LinkRun(const LinkSettings& settings) : settings_(settings), transmitter_(settings.port) {
        if (settings.delay_bound) {
            adaptive_.emplace(settings.port, *settings.delay_bound, 0);
        }
        if (settings.traced) {
            result_.trace.push_back({0, true, static_cast<int>(transmitter_.port(0).state(0))});
            transmitter_.port().observe(
                [](void* run, Time when, eee::State state) {
                    static_cast<LinkRun*>(run)->result_.trace.push_back(
                        {when, true, static_cast<int>(state)});
                },
                this);
        }
    }

    void arrive(const Arrival& arrival) {
        catch_up(arrival.when);
        if (adaptive_ && adaptive_->due(arrival.when)) {
            const auto choice = adaptive_->update(arrival.when, result_.frames, result_.bytes, result_.busy);
            transmitter_.port().set_hold(choice.hold, choice.trigger);
        }
        const Time length = settings_.speed.byte_time * (arrival.bytes + settings_.overhead);
        ++result_.frames;
        result_.bytes += arrival.bytes;
        result_.busy += length;
        always_free_ = std::max(always_free_, arrival.when);
        result_.wait_always_on.add(always_free_ - arrival.when);
        always_free_ += length;
        held_.push_back({arrival.when, length});
        trace_queue(arrival.when, +1);
        if (transmitter_.arrive(arrival.when, arrival.bytes + settings_.overhead)) {
            place_all();
        }
    }

    LinkResult finish(Time end) {
        const bool open = end == 0;
        catch_up(open ? kNever - 1 : end);
        result_.end = open ? std::max<Time>(transmitter_.free(), 1) : end;
        const eee::Port& port = transmitter_.port(result_.end);
        result_.account = port.account(result_.end);
        result_.energy = eee::relative_energy(result_.account, port.settings());
        catch_up(kNever - 1);
        std::stable_sort(result_.trace.begin(), result_.trace.end(),
                         [](const LinkChange& a, const LinkChange& b) { return a.when < b.when; });
        int frames = 0;
        for (LinkChange& change : result_.trace) {  // steps so far; now lengths
            if (!change.is_state) {
                change.value = frames += change.value;
            }
        }
        return std::move(result_);
    }

  private:
    struct Held {
        Time since;
        Time length;
    };

    /// Ends holds that end by `now`.
    void catch_up(Time now) {
        while (!held_.empty() && transmitter_.next_call() <= now) {
            if (transmitter_.timer(transmitter_.next_call())) {
                place_all();
            }
        }
    }

    void place_all() {
        for (const Held& frame : held_) {
            const Time start = transmitter_.place(frame.length);
            result_.wait.add(start - frame.since);
            trace_queue(start + frame.length, -1);
        }
        held_.clear();
    }

    void trace_queue(Time when, int step) {
        if (settings_.traced) {
            result_.trace.push_back({when, false, step});
        }
    }

    LinkSettings settings_;
    eee::Transmitter transmitter_;
    std::optional<eee::AdaptiveHold> adaptive_;
    std::vector<Held> held_;
    Time always_free_ = 0;
    LinkResult result_;
};

}  // namespace

LinkResult run_link(const LinkSettings& settings, Arrivals& arrivals, Time end) {
    LinkRun run(settings);
    Arrival arrival{};
    while (arrivals.next(arrival)) {
        run.arrive(arrival);
    }
    return run.finish(end);
}

}  // namespace netsim
