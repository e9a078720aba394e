/// The EEE port by itself: what its states are and when.

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "netsim/eee/port.hpp"
#include "netsim/eee/transmitter.hpp"
#include "netsim/link_run.hpp"
#include "netsim/random.hpp"

namespace netsim {
namespace {

using namespace literals;
using eee::Port;
using eee::PortSettings;
using eee::State;

constexpr eee::Speed kTenGigabit = eee::kSpeeds[2];
constexpr Time kSleep = 2880_ns;
constexpr Time kWake = 4480_ns;

/// Who looks at a port in the moment in which its last frame ends does not send it to sleep before the next
/// one.
TEST(Transmitter, SendsOnWhereAFrameArrivesAsTheLastOneEnds) {
    for (const PortSettings& settings :
         {PortSettings::ideal(kTenGigabit), PortSettings::standard(kTenGigabit)}) {
        eee::Transmitter transmitter(settings);
        ASSERT_TRUE(transmitter.arrive(0, 1500));
        transmitter.place(2_us);
        const Time end = transmitter.free();
        EXPECT_EQ(transmitter.port(end).state(end), State::active);
        ASSERT_TRUE(transmitter.arrive(end, 1500));
        EXPECT_EQ(transmitter.place(2_us), end);
        EXPECT_EQ(transmitter.port(end + 2_us).account(end + 2_us).active, 4_us);
    }
}

TEST(Port, StandardSleepsAndWakesForEveryFrame) {
    Port port(PortSettings::standard(kTenGigabit));
    EXPECT_EQ(port.state(5_us), State::lpi);
    EXPECT_EQ(port.enqueue(10_us, 1500), 10_us + kWake);
    EXPECT_EQ(port.next_call(), 10_us + kWake);
    EXPECT_EQ(port.state(11_us), State::wake);
    EXPECT_FALSE(port.may_start(11_us));
    EXPECT_EQ(port.timer(port.next_call()), 10_us + kWake);
    EXPECT_EQ(port.state(15_us), State::active);
    EXPECT_EQ(port.enqueue(15_us, 1500), 10_us + kWake);  // awake since then
    port.transmit_done(16_us, false);
    EXPECT_EQ(port.next_call(), kNever);
    port.transmit_done(17_us, true);
    EXPECT_EQ(port.state(17_us), State::sleep);
    EXPECT_EQ(port.state(17_us + kSleep), State::lpi);
    const eee::Account account = port.account(30_us);
    EXPECT_EQ(account.wakes, 1U);
    EXPECT_EQ(account.wake, kWake);
    EXPECT_EQ(account.sleep, kSleep);
    EXPECT_EQ(account.active, 7_us - kWake);
    EXPECT_EQ(account.low(), 10_us + 13_us - kSleep);
    EXPECT_EQ(account.total(), 30_us);
}

TEST(Port, AFrameDuringTheTransitionToSleepWaitsForItsEnd) {
    Port port(PortSettings::standard(kTenGigabit));
    port.timer(port.enqueue(0, 100));
    port.transmit_done(10_us, true);
    EXPECT_EQ(port.enqueue(11_us, 100), 10_us + kSleep + kWake);
    EXPECT_EQ(port.account(20_us).aborts, 0U);
}

TEST(Port, SleepAbort) {
    PortSettings settings = PortSettings::standard(kTenGigabit);
    settings.sleep_abort = true;
    Port port(settings);
    port.timer(port.enqueue(0, 100));
    port.transmit_done(10_us, true);
    EXPECT_EQ(port.enqueue(11_us, 100), 11_us);
    EXPECT_EQ(port.state(11_us), State::active);
    EXPECT_EQ(port.account(11_us).aborts, 1U);
    EXPECT_EQ(port.account(11_us).sleep, 1_us);
}

TEST(Port, StallKeepsAwake) {
    Port port(PortSettings::standard(kTenGigabit, 50_us));
    port.timer(port.enqueue(0, 100));
    port.transmit_done(10_us, true);
    EXPECT_EQ(port.state(59_us), State::active);
    EXPECT_LE(port.enqueue(59_us, 100), 59_us);  // at once
    port.transmit_done(60_us, true);
    EXPECT_EQ(port.state(110_us), State::sleep);
    EXPECT_EQ(port.enqueue(200_us, 100), 200_us + kWake);
}

TEST(Port, HoldEndsAfterItsTimeOrByTheTrigger) {
    Port port(PortSettings::coalesce(kTenGigabit, 12_us, 3));
    EXPECT_EQ(port.enqueue(100_us, 100), kNever);
    EXPECT_EQ(port.next_call(), 112_us);
    EXPECT_EQ(port.enqueue(105_us, 100), kNever);
    EXPECT_EQ(port.next_call(), 112_us);
    EXPECT_EQ(port.held_packets(), 2U);
    EXPECT_EQ(port.timer(111_us), kNever);  // too early: nothing happens
    EXPECT_EQ(port.timer(112_us), 112_us + kWake);
    port.timer(port.next_call());
    port.transmit_done(120_us, true);
    EXPECT_EQ(port.enqueue(130_us, 100), kNever);
    EXPECT_EQ(port.enqueue(130_us, 100), kNever);
    EXPECT_EQ(port.enqueue(131_us, 100), 131_us + kWake);
    EXPECT_EQ(port.held_packets(), 3U);
    const eee::HoldEnds holds = port.account(131_us).holds;
    EXPECT_EQ(holds.by_timer, 1U);
    EXPECT_EQ(holds.by_trigger, 1U);
    EXPECT_EQ(holds.by_full, 0U);
}

TEST(Port, HoldThatEndsDuringTheTransitionToSleep) {
    for (const bool abort : {false, true}) {
        PortSettings settings = PortSettings::coalesce(kTenGigabit, 1_us, 100);
        settings.sleep_abort = abort;
        Port port(settings);
        port.enqueue(0, 100);
        port.timer(port.timer(1_us));
        port.transmit_done(10_us, true);
        const Time ready = port.enqueue(10_us + 500_ns, 100);
        if (abort) {
            EXPECT_EQ(ready, kNever);
            EXPECT_EQ(port.next_call(), 11_us + 500_ns);
            EXPECT_EQ(port.timer(port.next_call()), 11_us + 500_ns);
        } else {
            EXPECT_EQ(ready, 10_us + kSleep + kWake);  // known at once
            EXPECT_EQ(port.next_call(), ready);
            port.timer(ready);
        }
        EXPECT_EQ(port.account(30_us).holds.by_timer, 2U);
    }
}

TEST(Port, HoldFromTheEntryIntoLowPowerIdle) {
    PortSettings settings = PortSettings::coalesce(kTenGigabit, 20_us, 100);
    settings.hold_from_lpi = true;
    Port port(settings);
    port.enqueue(5_us, 100);
    EXPECT_EQ(port.next_call(), 20_us);
    port.timer(port.timer(20_us));
    port.transmit_done(30_us, true);
    EXPECT_EQ(port.enqueue(100_us, 100), 100_us + kWake);  // it has been low for longer than that
}

TEST(Port, TriggerInBytes) {
    PortSettings settings = PortSettings::coalesce(kTenGigabit, 1_ms, 3000);
    settings.trigger_bytes = true;
    Port port(settings);
    EXPECT_EQ(port.enqueue(1_us, 1500), kNever);
    EXPECT_EQ(port.enqueue(2_us, 1499), kNever);
    EXPECT_EQ(port.enqueue(3_us, 1), 3_us + kWake);
}

TEST(Port, AFullBufferEndsTheHoldBeforeTheTrigger) {
    PortSettings settings = PortSettings::coalesce(kTenGigabit, 1_ms, 1000);
    settings.full_bytes = 3000;
    Port port(settings);
    EXPECT_EQ(port.enqueue(1_us, 1500), kNever);
    EXPECT_EQ(port.enqueue(2_us, 1499), kNever);
    EXPECT_EQ(port.enqueue(3_us, 1), 3_us + kWake);
    EXPECT_EQ(port.account(3_us).holds.by_full, 1U);
    EXPECT_EQ(port.account(3_us).holds.by_trigger, 0U);
    port.timer(port.next_call());
    port.transmit_done(20_us, true);
    EXPECT_EQ(port.enqueue(30_us, 2999), kNever) << "what was held before does not count";
    EXPECT_EQ(port.next_call(), 30_us + 1_ms);
}

TEST(Port, LegacyAndIdeal) {
    Port legacy(PortSettings::legacy(kTenGigabit));
    EXPECT_LE(legacy.enqueue(7_us, 100), 7_us);
    legacy.transmit_done(8_us, true);
    EXPECT_EQ(legacy.state(1_s), State::active);
    EXPECT_EQ(legacy.account(1_s).active, 1_s);

    Port ideal(PortSettings::ideal(kTenGigabit));
    EXPECT_EQ(ideal.enqueue(7_us, 100), 7_us);
    ideal.transmit_done(8_us, true);
    EXPECT_EQ(ideal.enqueue(8_us, 100), 8_us);
    ideal.transmit_done(9_us, true);
    const eee::Account account = ideal.account(10_us);
    EXPECT_EQ(account.active, 2_us);
    EXPECT_EQ(account.low(), 8_us);
}

TEST(Port, DualModeSleepsDeeperTheLongerItIsIdle) {
    const eee::Speed speed = eee::kSpeeds[3];
    PortSettings settings = PortSettings::with_speed(speed, eee::Depth::dual);
    settings.dwell = 10_us;
    Port port(settings);
    const Time deep = 10_us + 900_ns;  // dwell, then the transition
    EXPECT_EQ(port.account(9_us).lpi[0], 9_us);
    EXPECT_EQ(port.state(10_us + 1_ns), State::sleep);
    EXPECT_EQ(port.account(20_us).lpi[1], 20_us - deep);
    EXPECT_EQ(port.account(20_us).lpi[0], 10_us);
    EXPECT_EQ(port.enqueue(20_us, 100), 20_us + 5500_ns);  // from the deep level
    port.timer(port.next_call());
    port.transmit_done(30_us, true);
    EXPECT_EQ(port.enqueue(35_us, 100), 35_us + 340_ns);  // from fast wake
    const eee::Account account = port.account(35_us);
    EXPECT_EQ(account.total(), 35_us);
    EXPECT_DOUBLE_EQ(eee::relative_energy(account, settings),
                     to_seconds(account.active + account.sleep + account.wake) +
                         0.7 * to_seconds(account.lpi[0]) + 0.1 * to_seconds(account.lpi[1]));
}

TEST(Port, RefreshCostsFullPower) {
    PortSettings settings = PortSettings::standard(kTenGigabit);
    settings.quiet = 9_us;
    settings.refresh = 1_us;
    const Port port(settings);
    EXPECT_EQ(port.account(100_us).refresh, 10_us);
    EXPECT_EQ(port.account(99_us + 500_ns).refresh, 9_us + 500_ns);
    EXPECT_DOUBLE_EQ(eee::relative_energy(port.account(100_us), settings), 1e-6 * (10 + 0.1 * 90));
}

TEST(Port, TellsOfEveryChange) {
    Port port(PortSettings::standard(kTenGigabit));
    std::vector<std::pair<Time, State>> seen;
    port.observe(
        [](void* to, Time when, State state) { static_cast<decltype(seen)*>(to)->emplace_back(when, state); },
        &seen);
    port.timer(port.enqueue(10_us, 100));
    port.transmit_done(15_us, true);
    port.update(1_ms);
    const std::vector<std::pair<Time, State>> expected{{10_us, State::wake},
                                                       {10_us + kWake, State::active},
                                                       {15_us, State::sleep},
                                                       {15_us + kSleep, State::lpi}};
    EXPECT_EQ(seen, expected);
}

/// The link once more, as simply as possible: time goes on in steps of 10 ns, nothing is planned ahead.
/// Arrivals, times and lengths are multiples of a step.
struct Plain {
    Time low = 0;
    std::vector<Time> starts;
};

Plain plain_link(const PortSettings& s, const std::vector<Arrival>& arrivals, Time byte_time, Time end) {
    constexpr Time kStep = 10_ns;
    enum { kActive, kFalling, kLow, kRising } state = kLow;
    Plain result;
    std::deque<Arrival> queue;
    std::size_t next = 0;
    Time since = 0;       // of the state
    Time idle_since = 0;  // of an active link
    Time busy_until = -1;
    Time first = kNever;      // arrival of the first held frame
    std::uint64_t held = 0;   // frames or bytes that count for the trigger
    std::uint64_t bytes = 0;  // of held frames
    const auto fall = [&](Time now) {
        if (state == kActive && queue.empty() && now == std::max(idle_since, busy_until) + s.stall) {
            state = kFalling;
            since = now;
        }
    };
    for (Time now = 0; now < end || next < arrivals.size() || !queue.empty(); now += kStep) {
        if (state == kFalling && now == since + s.level[0].sleep) {
            state = kLow;
            since = now;
        }
        if (state == kRising && now == since + s.level[0].wake) {
            state = kActive;
            idle_since = now;
        }
        if (s.stall > 0) {
            fall(now);
        }
        for (; next < arrivals.size() && arrivals[next].when == now; ++next) {
            queue.push_back(arrivals[next]);
            if (state == kFalling || state == kLow) {
                first = std::min(first, now);
                held += s.trigger_bytes ? arrivals[next].bytes : 1;
                bytes += arrivals[next].bytes;
            }
        }
        if (s.stall == 0) {
            fall(now);  // a frame that comes as the last one ends is still in time
        }
        const bool due =
            first < kNever && (held >= s.trigger || bytes >= s.full_bytes || now >= first + s.hold);
        if (due && state == kLow) {
            state = kRising;
            since = now;
        } else if (due && state == kFalling && s.sleep_abort) {
            state = kActive;
            idle_since = now;
        }
        if (state == kActive || state == kRising) {
            first = kNever;
            held = bytes = 0;
        }
        if (state == kActive && busy_until <= now && !queue.empty()) {
            result.starts.push_back(now);
            busy_until = now + queue.front().bytes * byte_time;
            queue.pop_front();
        }
        result.low += state == kLow && now < end ? kStep : 0;
    }
    return result;
}

/// Random settings and arrivals: power and delays are those of the plain link.
TEST(LinkRun, AgreesWithAPlainLink) {
    Random random(99);
    eee::Speed speed = eee::kSpeeds[1];
    speed.byte_time = 10_ns;
    speed.lpi = speed.fast_wake = {180_us / 100, 16_us / 10, 0.1};
    for (int round = 0; round < 300; ++round) {
        PortSettings settings = PortSettings::standard(speed, static_cast<Time>(random.below(3)) * 500_ns);
        settings.sleep_abort = random.below(2) == 0;
        if (random.below(4) != 0) {
            settings.hold = static_cast<Time>(random.below(800)) * 10_ns;
            settings.trigger_bytes = random.below(3) == 0;
            settings.trigger = settings.trigger_bytes ? 1 + random.below(400) : 1 + random.below(12);
            if (random.below(3) == 0) {
                settings.full_bytes = 1 + random.below(400);
            }
        }
        std::vector<Arrival> arrivals;
        Time when = 0;
        const double mean = random.uniform(20, 400);
        for (int i = 0; i < 200; ++i) {
            when += static_cast<Time>(1 + random.exponential(mean)) * 10_ns;
            arrivals.push_back({when, static_cast<std::uint32_t>(1 + random.below(100))});
        }
        const Time end = when + 100_us;
        const Plain plain = plain_link(settings, arrivals, speed.byte_time, end);
        double wait = 0;
        for (std::size_t i = 0; i < arrivals.size(); ++i) {
            wait += to_seconds(plain.starts[i] - arrivals[i].when);
        }
        RecordedArrivals recorded(arrivals);
        const LinkResult result = run_link({speed, settings, 0, {}, false}, recorded, end);
        ASSERT_EQ(result.account.total(), end);
        ASSERT_EQ(result.account.low(), plain.low)
            << "round " << round << " hold " << settings.hold << " trigger " << settings.trigger << " abort "
            << settings.sleep_abort << " stall " << settings.stall << " full " << settings.full_bytes;
        ASSERT_NEAR(result.wait.mean(), wait / static_cast<double>(arrivals.size()), 1e-13)
            << "round " << round;
    }
}

}  // namespace
}  // namespace netsim
