/// The program as a user runs it.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "documents.hpp"
#include "scratch.hpp"

namespace netsim {
namespace {

namespace fs = std::filesystem;

struct Outcome {
    int code;
    std::string text;  ///< both outputs
};

Outcome run(const std::string& arguments) {
    const std::string out = test::scratch("out.txt");
    const int status =
        std::system(("'" + std::string(NETSIM_PROGRAM) + "' " + arguments + " > " + out + " 2>&1").c_str());
    std::ifstream file(out);
    return {WEXITSTATUS(status), {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()}};
}

std::string write(const std::string& name, const nlohmann::json& document) {
    std::string path = test::scratch(name);
    std::ofstream(path) << document.dump();
    return path;
}

std::string read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(Program, LinkWithClosedForm) {
    const std::string report = test::scratch("link.json");
    const Outcome outcome =
        run("link --speed 10g --policy coalesce --hold 120 --trigger 100 --load 0.1 --seconds 0.5 --report " +
            report);
    EXPECT_EQ(outcome.code, 0) << outcome.text;
    const nlohmann::json metrics = nlohmann::json::parse(read(report))["metrics"];
    EXPECT_NEAR(metrics["power.rel"]["value"].get<double>(),
                metrics["power.rel.closed"]["value"].get<double>(), 0.01);
    EXPECT_EQ(metrics["power.rel"]["source"], "simulated:netsim");
}

TEST(Program, LinkAsEthtoolSetsIt) {
    const std::string frames = test::scratch("frames.csv");
    std::ofstream(frames) << "t_s,bytes\n0,1500\n0.001,1500\n0.002,64\n";
    const std::string timeline = test::scratch("timeline.csv");
    Outcome outcome =
        run("link --speed 1g --trace " + frames + " --tx-timer 50 --watts 0.5 --timeline " + timeline);
    EXPECT_EQ(outcome.code, 0) << outcome.text;
    EXPECT_NE(outcome.text.find("power.saved"), std::string::npos);
    EXPECT_EQ(read(timeline).rfind(
                  "t_s,host,domain,metric,value,unit,source\n0.000000000000,link,port,state,2,1,", 0),
              0U);
    outcome = run("link --speed 1g --trace " + frames + " --eee off");
    EXPECT_NE(outcome.text.find("power.rel            1 \n"), std::string::npos) << outcome.text;
    for (const char* wrong :
         {"--policy slow", "--speed 2g", "--load 1.5 --seconds 1", "--load 0.1", "--seconds 1",
          "--load 0.1 --seconds 1 --trace /nowhere.csv", "--tx-timer -1 --load 0.1 --seconds 1"}) {
        outcome = run(std::string("link ") + wrong);
        EXPECT_EQ(outcome.code, 2) << wrong << ": " << outcome.text;
        EXPECT_EQ(outcome.text.rfind("error: ", 0), 0U) << outcome.text;
    }
    EXPECT_EQ(run("link --trace /nowhere.csv").code, 1);
}

TEST(Program, OptionsOfALinkHaveAnEffectOrAreRefused) {
    const std::string frames = test::scratch("frames.csv");
    std::ofstream(frames) << "t_s,bytes\n0,1500\n0.001,1500\n";
    const std::string load = "link --load 0.1 --seconds 0.001 ";
    for (const char* good :
         {"--policy ideal", "--policy legacy", "--tx-timer 5",
          "--policy coalesce --hold 1 --trigger 2 --unit bytes --from lpi",
          "--policy adaptive --delay-bound 5", "--speed 40g --mode fast-wake",
          "--speed 40g --mode dual --dwell 5", "--eee off --tx-timer 5", "--frame 64 --seed 2"}) {
        EXPECT_EQ(run(load + good).code, 0) << good;
    }
    for (const char* bad :
         {"--policy ideal --tx-timer 5", "--policy legacy --sleep-abort", "--hold 5", "--trigger 5",
          "--policy adaptive --unit bytes", "--from lpi", "--delay-bound 5", "--mode deep",
          "--speed 40g --policy ideal --mode deep", "--speed 40g --dwell 5"}) {
        const Outcome outcome = run(load + bad);
        EXPECT_EQ(outcome.code, 2) << bad;
        EXPECT_NE(outcome.text.find("has no effect here, expected with --"), std::string::npos)
            << outcome.text;
    }
    for (const char* bad : {"--frame 64", "--seconds 1", "--seed 2"}) {
        EXPECT_EQ(run("link --trace " + frames + " " + bad).code, 2) << bad;
    }
}

TEST(Program, FramesOfACaptureTakePreambleAndGapWhateverItsName) {
    std::string bytes;
    for (const std::uint32_t word : {0xa1b2c3d4U, 0x00040002U, 0U, 0U, 65535U, 1U, 1U, 0U, 0U, 1514U}) {
        for (int shift = 0; shift < 32; shift += 8) {
            bytes += static_cast<char>(word >> shift);
        }
    }
    std::string first;
    for (const char* name : {"a.pcap", "a.cap"}) {
        const std::string path = test::scratch(name);
        std::ofstream(path, std::ios::binary) << bytes;
        const Outcome outcome = run("link --speed 1g --trace " + path);
        EXPECT_EQ(outcome.code, 0) << outcome.text;
        first = first.empty() ? outcome.text : first;
        EXPECT_EQ(outcome.text, first);
    }
}

TEST(Program, AShuffleNeedsTwoWorkers) {
    nlohmann::json document = test::document();
    document["topology"]["nodes"] = 2;
    const Outcome outcome = run("shuffle " + write("lonely.json", document));
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.text,
              "error: topology.nodes: found 2, expected 3 or more: a shuffle needs two workers\n");
}

TEST(Program, Shuffle) {
    const std::string config = write("shuffle.json", test::document());
    const std::string report = test::scratch("shuffle_report.json");
    const std::string folder = test::scratch("trace");
    EXPECT_EQ(run("shuffle " + config + " --report " + report + " --trace " + folder).code, 0);
    const nlohmann::json document = nlohmann::json::parse(read(report));
    EXPECT_GT(document["metrics"]["makespan"]["value"].get<double>(), 0);
    EXPECT_GT(document["metrics"]["sim.rate"]["value"].get<double>(), 0);
    for (const char* name : {"states.csv", "queues.csv", "transfers.csv"}) {
        const std::string text = read(folder + "/" + name);
        EXPECT_EQ(text.rfind("t_s,host,domain,metric,value,unit,source\n", 0), 0U) << name;
        EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 10) << name;
    }
}

TEST(Program, PrintsConfigurationsInEffect) {
    nlohmann::json document = test::document(24);
    const std::string small = write("small.json", document);
    document["jobs"] = {{"workload", "batch"}, {"reduces", 7}};
    const std::string batch = write("batch.json", document);
    const Outcome outcome = run("config " + small + " " + batch);
    EXPECT_EQ(outcome.code, 0) << outcome.text;
    std::istringstream lines(outcome.text);
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    nlohmann::json found = nlohmann::json::parse(line);
    EXPECT_EQ(found["tcp"], document["tcp"]);
    EXPECT_EQ(found["cluster"]["cores"], 2);
    EXPECT_EQ(found["hadoop"]["map_slots"], 2);
    EXPECT_EQ(found["jobs"]["maps"], 10);
    EXPECT_EQ(found["jobs"]["block_bytes"], 64 << 20);
    ASSERT_TRUE(std::getline(lines, line));
    found = nlohmann::json::parse(line);
    EXPECT_EQ(found["jobs"]["maps"], 46) << "twice the workers";
    EXPECT_EQ(found["jobs"]["reduces"], 7);
    EXPECT_EQ(found["jobs"]["block_bytes"], 128 << 20);
    EXPECT_EQ(run("config " + write("again.json", found)).text, line + "\n");
    document["jobs"]["maps"] = -1;
    EXPECT_EQ(run("config " + write("bad.json", document)).code, 2);
}

TEST(Program, ErrorsAreOneLineAndWriteNothing) {
    nlohmann::json document = test::document();
    document["eee"]["core"] = test::coalesce(12, 10);
    document["eee"]["core"]["hold_us"] = -1;
    const std::string config = write("bad.json", document);
    const std::string report = test::scratch("never.json");
    const Outcome outcome = run("shuffle " + config + " --report " + report);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.text, "error: eee.core.hold_us: found -1, expected a number from 0 to 10000000000\n");
    EXPECT_FALSE(fs::exists(report));
    EXPECT_EQ(run("shuffle /nowhere.json").code, 1);
    EXPECT_EQ(run("").code, 2);
    EXPECT_EQ(run("shuffle " + write("good.json", test::document()) + " --report /nowhere/report.json").code,
              1);
}

}  // namespace
}  // namespace netsim
