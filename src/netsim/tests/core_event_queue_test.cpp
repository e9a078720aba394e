#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "netsim/calendar_queue.hpp"
#include "netsim/event_queue.hpp"
#include "netsim/histogram.hpp"
#include "netsim/random.hpp"
#include "netsim/simulator.hpp"

namespace netsim {
namespace {

struct Known {
    Time time;
    std::uint32_t index;
};

/// The event that a plain list would give: the earliest, and of those the one put in first.
std::size_t first_of(const std::vector<Known>& known) {
    return static_cast<std::size_t>(
        std::min_element(known.begin(), known.end(),
                         [](const Known& a, const Known& b) { return a.time < b.time; }) -
        known.begin());
}

/// Puts in, replaces and takes out 3,000 events at random, many of them at the same time, and compares each
/// first one with that of a list.
void compare_with_list(EventQueue& queue, Random& random) {
    std::vector<Known> known;
    for (std::uint32_t i = 0; i < 3000; ++i) {
        const auto time = static_cast<Time>(random.below(200));
        const std::uint64_t what = random.below(5);
        if (what < 2 || known.empty()) {
            queue.push({time, i, EventKind::handler, i});
            known.push_back({time, i});
        } else {
            const std::size_t first = first_of(known);
            ASSERT_EQ(queue.first().time, known[first].time);
            ASSERT_EQ(queue.first().index(), known[first].index);
            ASSERT_EQ(queue.first().kind(), EventKind::handler);
            known.erase(known.begin() + static_cast<std::ptrdiff_t>(first));
            if (what == 2) {
                queue.replace_first({time, i, EventKind::handler, i});
                known.push_back({time, i});
            } else {
                queue.pop_first();
            }
        }
        ASSERT_EQ(queue.size(), known.size());
        ASSERT_EQ(queue.empty(), known.empty());
    }
}

TEST(EventQueue, AgreesWithAList) {
    Random random(7);
    for (int round = 0; round < 20; ++round) {
        EventQueue queue;
        compare_with_list(queue, random);
    }
}

/// As the events of a network: mostly a little ahead of the present, some of them at the same time, and now
/// and then so far ahead that no day is kept for them. Sometimes all are waited for.
TEST(CalendarQueue, AgreesWithAList) {
    Random random(8);
    for (const Time usual : {Time{0}, microseconds(200), microseconds(3000)}) {
        for (const std::size_t most : {std::size_t{3}, std::size_t{100}, std::size_t{3000}}) {
            CalendarQueue queue;
            queue.plan(usual / 4, usual);
            std::set<std::pair<Time, std::uint32_t>> known;
            Time now = 0;
            bool draining = false;
            for (std::uint32_t i = 0; i < 30000; ++i) {
                draining = draining ? !known.empty() : random.below(3000) == 0;
                if (!draining && (known.empty() || (known.size() < most && random.below(5) < 3))) {
                    const std::uint64_t what = random.below(100);
                    const Time ahead = what == 0  ? microseconds(100000)
                                       : what < 5 ? 20 * queue.reach() / 19
                                       : what < 20
                                           ? static_cast<Time>(random.below(5000))
                                           : queue.reach() / 2 + static_cast<Time>(random.below(500)) * 40000;
                    queue.push({now + ahead, i, EventKind::handler, i});
                    known.insert({now + ahead, i});
                }
                if (!known.empty() && (draining || known.size() == most || random.below(2) == 0)) {
                    const auto [time, index] = *known.begin();
                    ASSERT_EQ(queue.first().time, time);
                    ASSERT_EQ(queue.first().index(), index);
                    known.erase(known.begin());
                    queue.pop_first();
                    now = time;
                }
                ASSERT_EQ(queue.size(), known.size());
                ASSERT_EQ(queue.empty(), known.empty());
            }
        }
    }
}

/// What is prefetched: the next events, but for those that were put in late.
TEST(CalendarQueue, ShowsTheNextEvents) {
    Random random(9);
    CalendarQueue queue;
    queue.plan(microseconds(90), microseconds(110));
    std::set<std::pair<Time, std::uint32_t>> known;
    std::uint32_t sequence = 0;
    const auto put = [&](Time when) {
        queue.push({when, sequence, EventKind::link_arrival, sequence});
        known.insert({when, sequence++});
    };
    for (int i = 0; i < 4000; ++i) {
        put(static_cast<Time>(random.below(100'000'000)));
    }
    for (int i = 0; i < 20000; ++i) {
        const Time now = queue.first().time;
        known.erase(known.begin());
        queue.pop_first();
        put(now + microseconds(90) + static_cast<Time>(random.below(20'000'000)));
        if (i < 5000) {
            continue;  // days were sorted for the first event, before the others were put in
        }
        ASSERT_GE(queue.shown(), CalendarQueue::kAhead);
        auto next = known.begin();
        for (std::size_t ahead = 0; ahead < CalendarQueue::kAhead; ++ahead, ++next) {
            ASSERT_EQ(queue[ahead].index(), next->second);
        }
    }
}

TEST(EventQueue, KeepsKindAndIndex) {
    EventQueue queue;
    const auto most = static_cast<std::uint32_t>(EventQueue::kIndexMask);
    queue.push({5, 0, EventKind::flow_timer, most});
    queue.push({kNever, 1, EventKind::link_timer, 0});
    EXPECT_EQ(queue.first().kind(), EventKind::flow_timer);
    EXPECT_EQ(queue.first().index(), most);
    queue.pop_first();
    EXPECT_EQ(queue.first().time, kNever);
    EXPECT_EQ(queue.first().kind(), EventKind::link_timer);
    EXPECT_EQ(queue.first().index(), 0U);
}

/// Asks for further calls while it is called.
struct Chain final : Handler {
    explicit Chain(Simulator& s) : simulator(s) {}
    void on_event(Time now, std::uint64_t argument) override {
        EXPECT_EQ(now, simulator.now());
        EXPECT_GE(now, last);
        last = now;
        order.push_back(argument);
        if (argument < 5) {
            simulator.at(now, *this, argument + 10);  // at once, but after what is there already
            simulator.at(now + 3, *this, argument + 1);
        }
    }
    Simulator& simulator;
    Time last = 0;
    std::vector<std::uint64_t> order;
};

TEST(Simulator, CallsHandlersInOrder) {
    Simulator simulator;
    Chain chain(simulator);
    simulator.at(10, chain, 3);
    simulator.at(10, chain, 100);
    simulator.at(2, chain, 101);
    simulator.run([](EventKind, std::uint32_t) { FAIL(); });
    EXPECT_EQ(chain.order, (std::vector<std::uint64_t>{101, 3, 100, 13, 4, 14, 5}));
    EXPECT_EQ(simulator.pending(), 0U);
}

TEST(Random, IsTheSameEverywhere) {
    Random random(42);
    EXPECT_EQ(random.next(), 1546998764402558742U);
    EXPECT_EQ(random.next(), 6990951692964543102U);
    EXPECT_EQ(random.next(), 12544586762248559009U);
}

TEST(Random, LogarithmAndExponential) {
    Random random(1);
    for (int i = 0; i < 100000; ++i) {
        const double x = std::exp(random.uniform(-600, 600));
        EXPECT_NEAR(portable::log(x), std::log(x), 1e-15 * std::abs(std::log(x)) + 4e-16);
        const double y = random.uniform(-600, 600);
        EXPECT_NEAR(portable::exp(y) / std::exp(y), 1, 1e-15);
    }
    EXPECT_EQ(portable::log(1), 0);
    EXPECT_EQ(portable::exp(0), 1);
    EXPECT_NEAR(portable::log(5e-324), std::log(5e-324), 1e-12);
}

TEST(Random, Moments) {
    Random random(3);
    constexpr int kCount = 200000;
    double exponential = 0;
    double normal = 0;
    double square = 0;
    for (int i = 0; i < kCount; ++i) {
        exponential += random.exponential(2.5);
        const double x = random.normal();
        normal += x;
        square += x * x;
        EXPECT_LT(random.below(7), 7U);
    }
    EXPECT_NEAR(exponential / kCount, 2.5, 0.03);
    EXPECT_NEAR(normal / kCount, 0, 0.01);
    EXPECT_NEAR(square / kCount, 1, 0.02);
}

TEST(Histogram, QuantilesAreClose) {
    Histogram histogram;
    std::vector<double> values;
    Random random(5);
    for (int i = 0; i < 20000; ++i) {
        const Time t = seconds(random.exponential(1e-5));
        histogram.add(t);
        values.push_back(to_seconds(t));
    }
    std::sort(values.begin(), values.end());
    for (const double q : {0.1, 0.5, 0.9, 0.99, 1.0}) {
        const double exact = values[static_cast<std::size_t>(std::max(0.0, q * 20000 - 1))];
        EXPECT_NEAR(histogram.quantile(q), exact, 0.04 * exact) << q;
    }
    EXPECT_EQ(Histogram().quantile(0.5), 0);
    EXPECT_EQ(Histogram().mean(), 0);
}

}  // namespace
}  // namespace netsim
