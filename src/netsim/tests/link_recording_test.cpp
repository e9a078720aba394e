#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "netsim/arrivals.hpp"
#include "netsim/eee/adaptive.hpp"
#include "netsim/error.hpp"
#include "netsim/link_run.hpp"
#include "scratch.hpp"

namespace netsim {
namespace {

using namespace literals;

std::string file(const std::string& name, const std::string& bytes) {
    std::string path = test::scratch(name);
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
}

std::string error_of(const std::string& path) {
    try {
        (void)read_recording(path);
    } catch (const Error& error) {
        return std::string(error.what()).substr(path.size());
    }
    return "";
}

TEST(Recording, Lines) {
    const auto [frames, captured] =
        read_recording(file("lines.csv", "t_s,bytes\n10.5,1500\r\n\n10.25, 64\n10.500000001,100"));
    EXPECT_FALSE(captured);
    ASSERT_EQ(frames.size(), 3U);
    EXPECT_EQ(frames[0].when, 0);  // sorted, from the first one on
    EXPECT_EQ(frames[0].bytes, 64U);
    EXPECT_EQ(frames[1].when, 250_ms);
    EXPECT_EQ(frames[2].when, 250_ms + 1_ns);
}

TEST(Recording, LinesThatAreNone) {
    EXPECT_EQ(error_of(file("a.csv", "t_s,bytes\n1,2\n3\n")), ":3: expected t_s,bytes");
    EXPECT_EQ(error_of(file("b.csv", "1,x\n1,0\n")), ":2: a frame must have 1 to 65536 bytes");
    EXPECT_EQ(error_of(file("c.csv", "1,64\nnan,64\n")), ":2: a time must be within 9e6 s");
    EXPECT_EQ(error_of(file("d.csv", "t_s,bytes\n")), ": no frames");
    EXPECT_THROW((void)read_recording("/nowhere/x.pcap"), Error);
}

/// A capture; `swap` writes it as a machine of the other byte order would.
std::string capture(std::uint32_t magic, const std::vector<std::vector<std::uint32_t>>& records, bool swap,
                    std::uint32_t type = 1) {
    std::string bytes;
    const auto word = [&](std::uint32_t x) {
        for (int i = 0; i < 4; ++i) {
            bytes += static_cast<char>(x >> (8 * (swap ? 3 - i : i)));
        }
    };
    for (const std::uint32_t x : {magic, 0x00040002U, 0U, 0U, 65535U, type}) {
        word(x);
    }
    for (const std::vector<std::uint32_t>& r :
         records) {  // seconds, fraction, length in the file, on the wire
        for (const std::uint32_t x : r) {
            word(x);
        }
        bytes.append(r[2], 'x');
    }
    return bytes;
}

TEST(Recording, Captures) {
    constexpr std::uint32_t kMicro = 0xa1b2c3d4U;
    constexpr std::uint32_t kNano = 0xa1b23c4dU;
    for (const bool swap : {false, true}) {
        for (const std::uint32_t magic : {kMicro, kNano}) {
            const auto [frames, captured] = read_recording(file(
                "a.cap", capture(magic, {{1700000000, 999999, 10, 1514}, {1700000001, 4, 5, 40}}, swap)));
            EXPECT_TRUE(captured);
            ASSERT_EQ(frames.size(), 2U);
            EXPECT_EQ(frames[0].bytes, 1518U);  // with check sum
            EXPECT_EQ(frames[1].bytes, 64U);    // padded
            EXPECT_EQ(frames[1].when, magic == kMicro ? 5_us : 1_s - 999995_ns);
        }
    }
    const std::string good = capture(kMicro, {{1, 2, 10, 100}}, false);
    EXPECT_EQ(error_of(file("b.pcap", good.substr(0, good.size() - 1))), ": capture is cut off at byte 24");
    EXPECT_EQ(error_of(file("c.pcap", good.substr(0, 20))), ": capture is cut off at byte 20");
    EXPECT_EQ(error_of(file("d.pcap", capture(kMicro, {{1, 2, 0, 0}}, false))),
              ": frame of impossible length at byte 24");
    EXPECT_EQ(error_of(file("e.pcap", capture(kMicro, {{1, 2, 1, 60}}, false, 113))),
              ": another link type than Ethernet at byte 20");
    EXPECT_EQ(error_of(file("f.pcap", good.substr(0, 24))), ": no frames");
}

/// Any cut or changed byte gives a result or an Error, nothing else.
TEST(Recording, DamagedCaptures) {
    Random random(4);
    const std::string good =
        capture(0xa1b2c3d4U, {{1, 2, 10, 100}, {1, 500, 20, 1000}, {2, 0, 0, 64}, {900, 5, 3, 3}}, false);
    for (int i = 0; i < 500; ++i) {
        std::string bad = good.substr(0, random.below(good.size() + 1));
        for (std::uint64_t n = random.below(4); n > 0 && !bad.empty(); --n) {
            bad[random.below(bad.size())] = static_cast<char>(random.below(256));
        }
        try {
            const std::vector<Arrival> frames = read_recording(file("damaged.pcap", bad)).frames;
            EXPECT_FALSE(frames.empty());
            for (const Arrival& frame : frames) {
                EXPECT_GE(frame.when, 0);
                EXPECT_GT(frame.bytes, 0U);
            }
        } catch (const Error&) {
        }
    }
}

TEST(LinkRun, RecordedFramesUntilTheLastIsSent) {
    const eee::Speed speed = eee::kSpeeds[2];
    RecordedArrivals arrivals({{0, 1000}, {1_us, 1000}, {100_us, 1000}});
    const LinkResult result =
        run_link({speed, eee::PortSettings::coalesce(speed, 12_us, 10), 0, {}, true}, arrivals, 0);
    EXPECT_EQ(result.frames, 3U);
    EXPECT_EQ(result.end, 100_us + 12_us + 4480_ns + 800_ns);  // the last one is held, too
    EXPECT_EQ(result.account.total(), result.end);
    EXPECT_EQ(result.account.wakes, 2U);
    int frames = 0;
    for (const LinkChange& change : result.trace) {
        frames = change.is_state ? frames : change.value;
        EXPECT_GE(frames, 0);
        EXPECT_LE(frames, 2);
    }
    EXPECT_EQ(frames, 0);
}

/// Adaptive coalescing keeps its bound under a load that it can measure, and saves more than standard EEE.
TEST(Adaptive, KeepsTheDelayBound) {
    const eee::Speed speed = eee::kSpeeds[2];
    for (const double bound : {20e-6, 100e-6, 400e-6}) {
        for (const double load : {0.01, 0.05, 0.1, 0.3, 0.5}) {
            const double service = to_seconds(speed.byte_time) * 1500;
            const Time end = 2_s;
            PoissonArrivals adaptive_arrivals(service / load, 1500, end, 3);
            PoissonArrivals standard_arrivals(service / load, 1500, end, 3);
            const eee::PortSettings port = eee::PortSettings::standard(speed);
            const LinkResult adaptive = run_link({speed, port, 0, bound, false}, adaptive_arrivals, end);
            const LinkResult standard = run_link({speed, port, 0, {}, false}, standard_arrivals, end);
            const double added = adaptive.wait.mean() - adaptive.wait_always_on.mean();
            EXPECT_LT(added, 1.05 * bound) << load;
            EXPECT_GT(added, 0.5 * bound) << load;  // and uses it
            EXPECT_LT(adaptive.power(), standard.power());
        }
    }
}

TEST(Adaptive, ClosedFormIsThatOfALinkWithoutTrigger) {
    const eee::Speed speed = eee::kSpeeds[2];
    const eee::AdaptiveHold adaptive(eee::PortSettings::standard(speed), 1e-4, 0);
    for (const double load : {0.01, 0.2, 0.6}) {
        const eee::LoadedLink link = eee::LoadedLink::of(speed, 1500, load);
        for (const double hold : {1e-6, 1e-5, 1e-4}) {
            const double always_on = link.rate() * link.service * link.service / (2 * (1 - load));
            EXPECT_NEAR(adaptive.added_delay(hold, link.rate()),
                        eee::closed::mean_wait(link, hold, 4000) - always_on, 1e-4 * hold);
        }
    }
}

}  // namespace
}  // namespace netsim
