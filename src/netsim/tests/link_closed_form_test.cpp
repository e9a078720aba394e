/// The simulated link against the closed forms, and those against their table.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "netsim/eee/closed_form.hpp"
#include "netsim/link_run.hpp"

namespace netsim {
namespace {

struct Row {
    std::string table;
    std::string setting;
    double x;
    std::string quantity;
    double value;
};

std::vector<Row> rows() {
    std::vector<Row> all;
    std::ifstream file(NETSIM_TEST_DATA "/link_closed_form.csv");
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::istringstream in(line);
        std::string x;
        std::string value;
        Row row;
        std::getline(in, row.table, ',');
        std::getline(in, row.setting, ',');
        std::getline(in, x, ',');
        std::getline(in, row.quantity, ',');
        std::getline(in, value, ',');
        row.x = std::stod(x);
        row.value = std::stod(value);
        all.push_back(row);
    }
    return all;
}

struct Coalescing {
    double hold;
    std::uint64_t trigger;
};

const std::map<std::string, Coalescing>& settings() {
    static const std::map<std::string, Coalescing> kSettings{
        {"nopa", {0, 1}},          {"nopa-abort", {0, 1}},
        {"12us10", {12e-6, 10}},   {"120us100", {120e-6, 100}},
        {"1ms1000", {1e-3, 1000}}, {"10ms1000", {10e-3, 1000}}};
    return kSettings;
}

eee::Speed speed_of(const Row& row) { return eee::kSpeeds[row.table == "fig2-1GbE" ? 1 : 2]; }

constexpr std::uint32_t kFrame = 1500;

double closed_value(const Row& row) {
    if (row.table == "table1") {
        for (const eee::Speed& speed : eee::kSpeeds) {
            if (speed.phy == row.setting) {
                return 100 * eee::lone_frame_efficiency(speed, static_cast<std::uint32_t>(row.x));
            }
        }
    }
    const eee::LoadedLink link = eee::LoadedLink::of(speed_of(row), kFrame, row.x);
    if (row.setting == "legacy") {
        return 1;
    }
    if (row.setting == "ideal") {
        return eee::closed::power_ideal(link);
    }
    if (row.setting == "nopa-abort") {
        return eee::closed::power_abort(link);
    }
    const Coalescing c = settings().at(row.setting);
    return row.quantity == "power" ? eee::closed::power(link, c.hold, c.trigger)
                                   : 1e6 * eee::closed::mean_wait(link, c.hold, c.trigger);
}

LinkResult simulate(const Row& row) {
    const eee::Speed speed = speed_of(row);
    LinkSettings link;
    link.speed = speed;
    if (row.setting == "legacy") {
        link.port = eee::PortSettings::legacy(speed);
    } else if (row.setting == "ideal") {
        link.port = eee::PortSettings::ideal(speed);
    } else {
        const Coalescing c = settings().at(row.setting);
        link.port = eee::PortSettings::coalesce(speed, seconds(c.hold), c.trigger);
        link.port.sleep_abort = row.setting == "nopa-abort";
    }
    // A cycle lasts about the longest of hold and busy period; a busy link needs the most of them.
    const double service = to_seconds(speed.byte_time) * kFrame;
    const double frames = row.x > 0.97 ? 3e7 : row.x > 0.7 ? 1e7 : 2e6;
    const double seconds_by_frames = frames * service / row.x;
    const double seconds_by_cycles = row.setting == "10ms1000" ? 40 : row.setting == "1ms1000" ? 8 : 0;
    const Time end = seconds(std::min(std::max(seconds_by_frames, seconds_by_cycles), 200.0));
    PoissonArrivals arrivals(service / row.x, kFrame, end, 20150101);
    return run_link(link, arrivals, end);
}

TEST(ClosedForm, TableIsComplete) { EXPECT_EQ(rows().size(), 325U); }

TEST(ClosedForm, AgreesWithTable) {
    for (const Row& row : rows()) {
        EXPECT_NEAR(closed_value(row), row.value, 1e-5 * std::abs(row.value))
            << row.table << ' ' << row.setting << ' ' << row.x << ' ' << row.quantity;
    }
}

/// The six cells of the paper's Table I, in percent, as printed.
TEST(ClosedForm, TableOfThePaper) {
    const std::map<std::pair<std::string, int>, double> printed{{{"100m", 1500}, 34.2}, {{"1g", 1500}, 5.7},
                                                                {{"10g", 1500}, 14.0},  {{"100m", 150}, 4.9},
                                                                {{"1g", 150}, 0.6},     {{"10g", 150}, 1.6}};
    for (const auto& [cell, percent] : printed) {
        const double ours = 100 * eee::lone_frame_efficiency(*eee::find_speed(cell.first),
                                                             static_cast<std::uint32_t>(cell.second));
        EXPECT_DOUBLE_EQ(std::round(10 * ours) / 10, percent) << cell.first << ' ' << cell.second;
    }
}

/// Table I by simulation: frames so far apart that each wakes the link alone.
TEST(LinkRun, LoneFrames) {
    for (const eee::Speed& speed : {eee::kSpeeds[0], eee::kSpeeds[1], eee::kSpeeds[2]}) {
        for (const std::uint32_t bytes : {1500U, 150U}) {
            constexpr Time kApart = kSecond / 100;
            constexpr int kFrames = 10;
            std::vector<Arrival> frames;
            for (int i = 1; i <= kFrames; ++i) {
                frames.push_back({i * kApart, bytes});
            }
            RecordedArrivals arrivals(std::move(frames));
            const LinkResult result = run_link({speed, eee::PortSettings::standard(speed), 0, {}, false},
                                               arrivals, (kFrames + 1) * kApart);
            const Time awake = result.account.total() - result.account.low();
            EXPECT_DOUBLE_EQ(to_seconds(result.busy) / to_seconds(awake),
                             eee::lone_frame_efficiency(speed, bytes));
        }
    }
}

class AgainstClosedForm : public testing::TestWithParam<std::string> {};

TEST_P(AgainstClosedForm, PowerAndWait) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "half a billion frames: too many for a slow build";
#endif
    double sum = 0;
    int count = 0;
    std::map<std::pair<std::string, double>, LinkResult> done;  // power and wait come from the same run
    for (const Row& row : rows()) {
        if (row.table == "table1" || row.setting != GetParam()) {
            continue;
        }
        const std::pair key{to_seconds(speed_of(row).byte_time) < 1e-9 ? "10g" : "1g", row.x};
        auto found = done.find(key);
        if (found == done.end()) {
            found = done.emplace(key, simulate(row)).first;
        }
        const LinkResult& result = found->second;
        EXPECT_EQ(result.account.total(), result.end);
        if (row.quantity == "power") {
            EXPECT_NEAR(result.power(), row.value, 0.002) << row.table << ' ' << row.setting << ' ' << row.x;
            sum += std::abs(result.power() - row.value);
            ++count;
        } else {
            EXPECT_NEAR(1e6 * result.wait.mean(), row.value, 0.01 * row.value) << row.setting << ' ' << row.x;
        }
    }
    EXPECT_LE(sum / count, 0.001);
}

INSTANTIATE_TEST_SUITE_P(Settings, AgainstClosedForm,
                         testing::Values("legacy", "ideal", "nopa", "nopa-abort", "12us10", "120us100",
                                         "1ms1000", "10ms1000"),
                         [](const auto& info) {
                             std::string name = info.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace netsim
