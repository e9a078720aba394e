/// TCP in situations in which it is known what it must do. Hosts 1 and 3 share a switch.

#include <gtest/gtest.h>

#include "transfers.hpp"

namespace netsim {
namespace {

using namespace literals;
using test::Bench;
using test::is_segment;

constexpr std::uint64_t kSegment = 1460;
constexpr double kRtoMin = 0.2;

nlohmann::json always_on() {
    nlohmann::json d = test::document();
    d["eee"]["edge"] = d["eee"]["core"] = {{"policy", "legacy"}};
    d["tcp"]["delayed_ack_ms"] = 5;  // so that it does not hide behind other times
    return d;
}

TEST(Tcp, NoLoss) {
    Bench bench(always_on());
    bench.fetch(1, 3, 100 * kSegment);
    bench.fabric.run();
    const tcp::Counters& n = bench.counters();
    EXPECT_EQ(n.transfers, 1U);
    EXPECT_EQ(n.payload, 100 * kSegment);
    EXPECT_EQ(n.segments, 100U);
    EXPECT_EQ(n.retransmits, 0U);
    // SYN, SYN+ACK, ACK, request, 100 segments, an acknowledgement for every second, the last one.
    EXPECT_EQ(n.packets, 4U + 100 + 50 + 1);
    EXPECT_EQ(bench.fabric.network().hops(), 2 * n.packets);
    const double sending = 100 * 1538 * 8e-9;
    EXPECT_GT(bench.end_of(0), sending);
    EXPECT_LT(bench.end_of(0), sending + 200e-6);  // handshake, slow start, one more link
}

TEST(Tcp, OddAndSmallAnswers) {
    for (const std::uint64_t bytes : {0U, 1U, 1459U, 1460U, 1461U, 44U * 1460U + 7U}) {
        Bench bench(always_on());
        bench.fetch(1, 2, bytes);
        bench.fabric.run();
        EXPECT_EQ(bench.counters().payload, bytes);
        EXPECT_EQ(bench.counters().transfers, 1U);
        EXPECT_LT(bench.end_of(0), 0.002) << bytes;
    }
}

TEST(Tcp, WindowLimitsThroughput) {
    for (const double window : {65536.0, 262144.0}) {
        nlohmann::json d = always_on();
        d["latency"]["edge_us"] = 2500;  // 10 ms there and back
        d["tcp"]["window_bytes"] = window;
        Bench bench(d);
        constexpr double kBytes = 2000 * kSegment;
        bench.fetch(1, 3, static_cast<std::uint64_t>(kBytes));
        bench.fabric.run();
        const double round_trips = bench.end_of(0) / 0.01;
        const double window_rounded = std::floor(window / kSegment) * kSegment;
        EXPECT_GT(round_trips, kBytes / window_rounded);
        EXPECT_LT(round_trips, kBytes / window_rounded + 9);  // slow start and handshake
    }
}

TEST(Tcp, OneLossIsRepairedWithoutTimeout) {
    for (const bool sack : {true, false}) {
        nlohmann::json d = always_on();
        d["tcp"]["sack"] = sack;
        Bench bench(d);
        test::lose_first(
            bench, [](const Packet& p, int seen) { return is_segment(p) && p.number == 60 && seen == 0; });
        bench.fetch(1, 3, 200 * kSegment);
        bench.fabric.run();
        const tcp::Counters& n = bench.counters();
        EXPECT_EQ(n.retransmits, 1U);
        EXPECT_EQ(n.recoveries, 1U);
        EXPECT_EQ(n.timeouts, 0U);
        EXPECT_EQ(n.lost, 1U);
        EXPECT_EQ(n.duplicates, 0U);
        EXPECT_LT(bench.end_of(0), 0.02);
    }
}

TEST(Tcp, BurstLossWithSack) {
    Bench bench(always_on());
    const auto lost = [](const Packet& p) { return p.number >= 60 && p.number < 80 && p.number % 2 == 0; };
    test::lose_first(bench, [&](const Packet& p, int seen) { return is_segment(p) && lost(p) && seen == 0; });
    bench.fetch(1, 3, 300 * kSegment);
    bench.fabric.run();
    const tcp::Counters& n = bench.counters();
    EXPECT_EQ(n.retransmits, 10U);  // each lost segment once, nothing else
    EXPECT_EQ(n.recoveries, 1U);
    EXPECT_EQ(n.timeouts, 0U);
    EXPECT_EQ(n.duplicates, 0U);
    EXPECT_LT(bench.end_of(0), 0.02);
}

/// Without SACK every hole takes a round trip (RFC 6582).
TEST(Tcp, BurstLossWithoutSack) {
    nlohmann::json d = always_on();
    d["tcp"]["sack"] = false;
    d["latency"]["edge_us"] = 250;  // 1 ms there and back
    Bench bench(d);
    test::lose_first(bench, [](const Packet& p, int seen) {
        return is_segment(p) && p.number >= 60 && p.number < 70 && p.number % 2 == 0 && seen == 0;
    });
    bench.fetch(1, 3, 300 * kSegment);
    bench.fabric.run();
    EXPECT_EQ(bench.counters().retransmits, 5U);
    EXPECT_EQ(bench.counters().recoveries, 1U);
    EXPECT_EQ(bench.counters().timeouts, 0U);
}

TEST(Tcp, LostTailTakesATimeout) {
    Bench bench(always_on());
    test::lose_first(bench,
                     [](const Packet& p, int seen) { return is_segment(p) && p.number == 99 && seen == 0; });
    bench.fetch(1, 3, 100 * kSegment);
    bench.fabric.run();
    EXPECT_EQ(bench.counters().timeouts, 1U);
    EXPECT_EQ(bench.counters().retransmits, 1U);
    EXPECT_GT(bench.end_of(0), kRtoMin);
    EXPECT_LT(bench.end_of(0), kRtoMin + 0.01);
}

TEST(Tcp, TimeoutsDouble) {
    Bench bench(always_on());
    test::lose_first(bench,
                     [](const Packet& p, int seen) { return is_segment(p) && p.number == 99 && seen < 4; });
    bench.fetch(1, 3, 100 * kSegment);
    bench.fabric.run();
    EXPECT_EQ(bench.counters().timeouts, 4U);
    EXPECT_NEAR(bench.end_of(0), kRtoMin * (1 + 2 + 4 + 8), 0.01);
}

/// The doubled timeout stays until a segment that was sent once is acknowledged (RFC 6298, 5.5 to 5.7).
TEST(Tcp, BackOffLastsUntilTheRoundTripIsMeasuredAgain) {
    Bench bench(always_on());
    test::lose_first(bench,
                     [](const Packet& p, int seen) { return is_segment(p) && p.number >= 98 && seen < 2; });
    bench.fetch(1, 3, 100 * kSegment);
    bench.fabric.run();
    EXPECT_EQ(bench.counters().timeouts, 3U);
    EXPECT_NEAR(bench.end_of(0), kRtoMin * (1 + 2 + 4), 0.01);
}

TEST(Tcp, ATimeoutOfTheHandshakeMakesTheNextOneThreeSeconds) {
    Bench bench(always_on());
    test::lose_first(bench, [](const Packet& p, int seen) {
        return seen == 0 && !is_segment(p) && ((p.flags & kSyn) != 0 || (p.flags & kData) != 0);
    });
    bench.fetch(1, 3, 10 * kSegment);
    bench.fabric.run();
    // The SYN, its answer (the server's timer, not the client's), then the request.
    EXPECT_EQ(bench.counters().transfers, 1U);
    EXPECT_NEAR(bench.end_of(0), 1.0 + 1.0 + 3.0, 0.01);
}

/// Segments that are sent again for nothing are acknowledged by duplicates of what a recovery ended with.
TEST(Tcp, DuplicatesOfBeforeARecoveryBeginNone) {
    nlohmann::json d = always_on();
    d["tcp"]["sack"] = false;
    Bench bench(d);
    test::lose_first(bench, [](const Packet& p, int seen) {
        const bool hole = p.number >= 60 && p.number <= 92 && p.number % 4 == 0;
        return is_segment(p) && hole && (seen == 0 || (p.number == 60 && seen == 1));
    });
    bench.fetch(1, 3, 300 * kSegment);
    bench.fabric.run();
    EXPECT_EQ(bench.counters().payload, 300 * kSegment);
    EXPECT_EQ(bench.counters().timeouts, 1U);
    EXPECT_GT(bench.counters().duplicates, 3U);
    EXPECT_EQ(bench.counters().recoveries, 1U);
}

TEST(Tcp, CubicDoesNotGrowWhileIdle) {
    nlohmann::json d = always_on();
    d["tcp"]["flavour"] = "cubic";
    tcp::Congestion congestion(test::config(d).tcp);
    congestion.on_loss(10);
    congestion.on_ack(1, 1000, 0, 1_ms);
    const double before = congestion.window();
    congestion.on_idle(1000);
    congestion.on_ack(1, 1000, 100_s, 1_ms);
    EXPECT_LT(congestion.window(), before + 0.2);
}

TEST(Tcp, LostRetransmissionTakesATimeout) {
    Bench bench(always_on());
    test::lose_first(bench,
                     [](const Packet& p, int seen) { return is_segment(p) && p.number == 60 && seen < 2; });
    bench.fetch(1, 3, 200 * kSegment);
    bench.fabric.run();
    EXPECT_EQ(bench.counters().timeouts, 1U);
    EXPECT_EQ(bench.counters().recoveries, 1U);
    EXPECT_GT(bench.end_of(0), kRtoMin);
    EXPECT_LT(bench.end_of(0), kRtoMin + 0.02);
}

TEST(Tcp, LostWindowIsSentAgainInSlowStart) {
    Bench bench(always_on());
    test::lose_first(bench,
                     [](const Packet& p, int seen) { return is_segment(p) && p.number >= 40 && seen == 0; });
    bench.fetch(1, 3, 100 * kSegment);
    bench.fabric.run();
    EXPECT_GE(bench.counters().timeouts, 1U);
    EXPECT_EQ(bench.counters().payload, 100 * kSegment);
    EXPECT_EQ(bench.end_of(0) > kRtoMin, true);
}

TEST(Tcp, LostHandshake) {
    struct Case {
        std::uint8_t flags;
        double least;
    };
    // A SYN or its answer: the initial timeout. The request: the least one, as the handshake measured the
    // round trip.
    for (const Case& c : {Case{kSyn, 1.0}, Case{kSyn | kAck, 1.0}, Case{kData | kAck, kRtoMin}}) {
        Bench bench(always_on());
        test::lose_first(bench, [&](const Packet& p, int seen) {
            return (p.flags & (kSyn | kAck | kData)) == c.flags && !is_segment(p) && seen == 0;
        });
        bench.fetch(1, 3, 10 * kSegment);
        bench.fabric.run();
        EXPECT_EQ(bench.counters().transfers, 1U);
        EXPECT_GE(bench.end_of(0), c.least);
        EXPECT_LT(bench.end_of(0), c.least + 0.01);
    }
}

TEST(Tcp, LostAcknowledgementOfTheEnd) {
    Bench bench(always_on());
    test::lose_first(
        bench, [](const Packet& p, int seen) { return (p.flags & kFin) != 0 && !is_segment(p) && seen < 2; });
    bench.fetch(1, 3, 10 * kSegment);
    bench.fabric.run();
    EXPECT_LT(bench.end_of(0), 0.01);  // the client has everything
    EXPECT_EQ(bench.counters().timeouts, 2U);
    EXPECT_EQ(bench.counters().duplicates, 2U);
    EXPECT_EQ(bench.fabric.tcp().live(), 0U);
}

TEST(Tcp, ReusedConnectionHasOneHandshake) {
    nlohmann::json d = always_on();
    d["tcp"]["reuse_connections"] = true;
    Bench bench(d);
    int left = 4;
    bench.then = [&](std::uint64_t) {
        if (left-- > 0) {
            bench.fetch(1, 3, 21 * kSegment + 5);
        }
    };
    bench.fetch(1, 3, 21 * kSegment + 5);
    bench.fabric.run();
    EXPECT_EQ(bench.counters().transfers, 5U);
    EXPECT_EQ(bench.counters().connections, 1U);
    EXPECT_EQ(bench.counters().payload, 5 * (21 * kSegment + 5));
    EXPECT_EQ(bench.counters().timeouts, 0U);
    EXPECT_EQ(bench.counters().retransmits, 0U);
}

/// A segment that is sent again, of the answer before, is no sign that the next request has arrived.
TEST(Tcp, LostRequestOnAReusedConnection) {
    nlohmann::json d = always_on();
    d["tcp"]["reuse_connections"] = true;
    Bench bench(d);
    // Nothing tells the server that its first answer has arrived, and the second request is lost once.
    test::lose_first(bench, [](const Packet& p, int seen) {
        const bool request = (p.flags & kData) != 0 && !is_segment(p);
        const bool acknowledgement = (p.flags & (kSyn | kData)) == 0 && p.number > 1;
        return seen == 0 && ((request && p.number == 2) || acknowledgement);
    });
    int left = 1;
    bench.then = [&](std::uint64_t) {
        if (left-- > 0) {
            bench.fetch(1, 3, 10 * kSegment);
        }
    };
    bench.fetch(1, 3, 10 * kSegment);
    bench.fabric.run();
    EXPECT_EQ(bench.counters().transfers, 2U);
    EXPECT_EQ(bench.counters().payload, 20 * kSegment);
    EXPECT_GE(bench.counters().duplicates, 1U);
    EXPECT_LT(bench.end_of(0), 1.0);
}

TEST(Tcp, DelayedAcknowledgementOfALoneSegment) {
    nlohmann::json d = always_on();
    d["tcp"]["initial_window"] = 1;  // the second segment waits for the acknowledgement of the first
    Bench bench(d);
    bench.fetch(1, 3, 2 * kSegment);
    bench.fabric.run();
    EXPECT_GT(bench.end_of(0), 0.005);
    EXPECT_LT(bench.end_of(0), 0.006);
}

/// 40 servers answer one client at once through a port of 128 KB.
TEST(Tcp, Incast) {
    for (const std::uint32_t window : {65536U, 1048576U}) {
        nlohmann::json d = always_on();
        d["topology"]["nodes"] = 84;
        d["buffer_bytes"] = 131072;
        d["tcp"]["window_bytes"] = window;
        d["tcp"]["jitter_us"] = 10;
        Bench bench(d);
        for (int i = 1; i <= 40; ++i) {
            bench.fetch(0, 2 * i, 100 * kSegment);
        }
        bench.fabric.run();
        const tcp::Counters& n = bench.counters();
        EXPECT_EQ(n.transfers, 40U);
        EXPECT_EQ(n.payload, 4000 * kSegment);
        EXPECT_GT(n.lost, 0U);
        EXPECT_EQ(n.segments, n.arrived + n.lost);
        EXPECT_EQ(bench.fabric.tcp().live(), 0U);
    }
}

/// Two long flows through one port that marks: DCTCP keeps the queue near the mark, without loss, at full
/// rate.
TEST(Tcp, DctcpKeepsTheQueueShort) {
    nlohmann::json d = always_on();
    d["topology"]["nodes"] = 8;
    d["tcp"]["flavour"] = "dctcp";
    d["tcp"]["window_bytes"] = 1048576;
    d["buffer_bytes"] = 1048576;
    d["latency"]["edge_us"] = 25;
    d["queue"] = {{"kind", "ecn"}, {"mark_bytes", 30000}};
    Bench bench(d);
    bench.fetch(1, 3, 5000 * kSegment);
    bench.fetch(1, 5, 5000 * kSegment);
    bench.fabric.run();
    EXPECT_EQ(bench.counters().retransmits, 0U);
    const double end = std::max(bench.end_of(0), bench.end_of(1));
    EXPECT_LT(end, 1.05 * 10000 * 1538 * 8e-9);
    const Link& port = bench.fabric.network().link(3);  // to host 1
    EXPECT_GT(port.marks, 0U);
    EXPECT_LT(port.marks, 6000U);
}

TEST(Tcp, FlavoursFinishOnALossyWay) {
    for (const char* flavour : {"newreno", "cubic", "dctcp"}) {
        for (const bool sack : {true, false}) {
            nlohmann::json d = always_on();
            d["tcp"]["flavour"] = flavour;
            d["tcp"]["sack"] = sack;
            Bench bench(d);
            auto random = std::make_shared<Random>(5);
            bench.fabric.network().lose(
                [random](std::uint32_t, const Packet&) { return random->uniform() < 0.02; });
            bench.fetch(1, 2, 2000 * kSegment);
            bench.fabric.run();
            EXPECT_EQ(bench.counters().transfers, 1U) << flavour;
            EXPECT_EQ(bench.counters().payload, 2000 * kSegment);
            EXPECT_EQ(bench.fabric.tcp().live(), 0U);
        }
    }
}

}  // namespace
}  // namespace netsim
