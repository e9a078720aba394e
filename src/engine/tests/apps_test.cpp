// The mini-apps as a user runs them: exit codes, messages, files.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;

class Apps : public testing::Test {
  protected:
    void SetUp() override {
        std::string path = (fs::temp_directory_path() / "kvasir-apps-XXXXXX").string();
        ASSERT_NE(mkdtemp(path.data()), nullptr);
        folder_ = path;
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string path(const std::string& name) const { return folder_ + "/" + name; }

    std::string write(const std::string& name, const std::string& content) const {
        fs::create_directories(fs::path(path(name)).parent_path());
        std::ofstream(path(name), std::ios::binary) << content;
        return path(name);
    }

    /// Runs a program (the first word) on two ranks; keeps what it printed and how it ended.
    int run(const std::string& program_and_arguments) {
        return run_by(std::string(MPIRUN) + " -n 2", program_and_arguments);
    }

    int run_by(const std::string& launcher, const std::string& program_and_arguments) {
        const std::size_t end = std::min(program_and_arguments.find(' '), program_and_arguments.size());
        const std::string program =
            "'" + std::string(PROGRAMS) + "/" + program_and_arguments.substr(0, end) + "'";
        const std::string command = launcher + " " + program + program_and_arguments.substr(end) + " > " +
                                    path("out") + " 2> " + path("err") + " < /dev/null";
        const int status = std::system(command.c_str());
        out_ = read("out");
        err_ = read("err");
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    std::string read(const std::string& name) const {
        std::ifstream in(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    std::size_t times_in_errors(const std::string& text) const {
        std::size_t count = 0;
        for (std::size_t at = err_.find(text); at != std::string::npos; at = err_.find(text, at + 1)) {
            ++count;
        }
        return count;
    }

    std::map<std::string, std::uint64_t> parts(const std::string& folder) const {
        std::map<std::string, std::uint64_t> counts;
        for (const auto& entry : fs::directory_iterator(path(folder))) {
            EXPECT_EQ(entry.path().filename().string().rfind("part-", 0), 0U) << entry.path();
            std::ifstream in(entry.path());
            for (std::string line; std::getline(in, line);) {
                const std::size_t tab = line.find('\t');
                EXPECT_TRUE(counts.emplace(line.substr(0, tab), std::stoull(line.substr(tab + 1))).second);
            }
        }
        return counts;
    }

    double metric(const std::string& name) const {
        return nlohmann::json::parse(read("report.json")).at("metrics").at(name).at("value").get<double>();
    }

    std::string folder_;
    std::string out_;
    std::string err_;
};

constexpr const char* kText = "the cat and the dog and the bird\nthe end";

TEST_F(Apps, CountWordsAndPrintNothingElse) {
    const std::string text = write("text", kText);
    for (const std::string& app : {std::string("group-by-key"), std::string("reduce-by-key")}) {
        ASSERT_EQ(
            run(app + " --top 2 --report " + path("report.json") + " --output " + path(app) + " " + text), 0)
            << err_;
        EXPECT_EQ(out_, "the\t4\nand\t2\n");
        EXPECT_EQ(err_, "");
        const std::map<std::string, std::uint64_t> expected{{"the", 4}, {"and", 2},  {"cat", 1},
                                                            {"dog", 1}, {"bird", 1}, {"end", 1}};
        EXPECT_EQ(parts(app), expected);
        EXPECT_EQ(metric("words"), 10);
        EXPECT_EQ(metric("keys"), 6);
        EXPECT_EQ(metric("barriers"), 1);
        EXPECT_EQ(metric("alltoallv.min"), metric("alltoallv.max"));
    }
}

TEST_F(Apps, GroupAndReduceReportTheSameChecksum) {
    std::string content;
    for (int i = 0; i < 20'000; ++i) {
        content += "w" + std::to_string(i * i % 1009) + (i % 10 == 0 ? "\n" : " ");
    }
    const std::string text = write("text", content);
    const std::string report = " --report " + path("report.json") + " ";
    ASSERT_EQ(run("group-by-key" + report + text), 0) << err_;
    const double checksum = metric("output.checksum");
    EXPECT_EQ(metric("kv.after_combine"), 20'000);
    for (const char* options :
         {"--combine none", "--combine before", "--combine after", "--strategy by-fill", "--pipeline staged",
          "--balance split --send-buffer 4kB", "--input dynamic --chunk 1000", "--combine-switch on"}) {
        ASSERT_EQ(run(std::string("reduce-by-key ") + options + report + text), 0) << err_;
        EXPECT_EQ(metric("output.checksum"), checksum) << options;
    }
    ASSERT_EQ(run("map-aggregate" + report + text), 0) << err_;
    EXPECT_EQ(metric("words"), 20'000);
    const auto metrics = nlohmann::json::parse(read("report.json")).at("metrics");
    EXPECT_TRUE(metrics.at("keys").at("value").is_null());
    EXPECT_EQ(metrics.at("keys").at("source"), "none");
    EXPECT_FALSE(metrics.at("keys").at("reason").get<std::string>().empty());
}

TEST_F(Apps, RefuseBadCommandLinesWithOneMessage) {
    const std::string text = write("text", kText);
    for (const std::string& arguments :
         {"--send-buffer=-5 " + text, "--send-buffer 0 " + text, "--send-buffer 5parsecs " + text,
          "--strategy magic " + text, "--combine sometimes " + text, "--no-such-option " + text,
          "--in-flight 9 " + text, "--balance-factor 0.1 " + text, "--top -3 " + text, std::string()}) {
        EXPECT_NE(run_by("", "reduce-by-key " + arguments), 0) << arguments;
        EXPECT_EQ(out_, "");
        EXPECT_EQ(times_in_errors("error: "), 1U) << arguments << "\n" << err_;
    }
    EXPECT_NE(run("group-by-key --combine both " + text), 0);
    EXPECT_EQ(times_in_errors("error: "), 1U) << err_;
    EXPECT_NE(err_.find("'both': expected one of none"), std::string::npos) << err_;
}

TEST_F(Apps, NameFilesThatCannotBeRead) {
    EXPECT_NE(run("reduce-by-key --report " + path("report.json") + " " + path("missing")), 0);
    EXPECT_EQ(
        times_in_errors("error: rank 0: cannot read " + path("missing") + ": No such file or directory"), 1U);
    EXPECT_FALSE(fs::exists(path("report.json")));
}

TEST_F(Apps, NameFoldersThatMustNotBeRead) {
    write("texts/closed/text", kText);
    fs::permissions(path("texts/closed"), fs::perms::none);
    // Root reads everything, unless it gives up the right to.
    const std::string limits = geteuid() == 0 ? "setpriv --bounding-set=-dac_override,-dac_read_search " : "";
    EXPECT_NE(run_by(limits + MPIRUN + " -n 2", "reduce-by-key " + path("texts")), 0);
    fs::permissions(path("texts/closed"), fs::perms::owner_all);
    EXPECT_EQ(times_in_errors("error: "), 1U) << err_;
    EXPECT_EQ(times_in_errors("cannot read folder " + path("texts/closed") + ": Permission denied"), 1U)
        << err_;
}

TEST_F(Apps, LeaveNothingBehindWhenTheDiskIsFull) {
    // A limit on the size of files fails writes in the same way as a full disk does, on any machine.
    std::string many;
    for (int i = 0; i < 30'000; ++i) {
        many += "word" + std::to_string(i) + "\n";
    }
    const std::string large = write("large", many);
    const std::string limited = write("limited.sh", "#!/bin/sh\nulimit -f 8\ntrap '' XFSZ\nexec \"$@\"\n");
    fs::permissions(limited, fs::perms::owner_all);
    EXPECT_NE(run_by(std::string(MPIRUN) + " -n 2 " + limited,
                     "reduce-by-key --output " + path("parts") + " " + large),
              0);
    EXPECT_EQ(times_in_errors("error: "), 1U) << err_;
    EXPECT_EQ(times_in_errors("cannot write " + path("parts") + "/part-"), 1U) << err_;
    EXPECT_TRUE(fs::is_empty(path("parts")));
}

TEST_F(Apps, DoNotMixTheirPartsWithOlderOnes) {
    const std::string text = write("text", kText);
    ASSERT_EQ(run("reduce-by-key --output " + path("parts") + " " + text), 0) << err_;
    EXPECT_NE(run("reduce-by-key --output " + path("parts") + " " + text), 0);
    EXPECT_EQ(times_in_errors("already"), 1U) << err_;
}

TEST_F(Apps, LogTheFillOfPartitions) {
    const std::string text = write("text", "a b a b a b a b\na b a b a b a b");
    ASSERT_EQ(run("reduce-by-key --send-buffer 100 --events " + path("events.csv") + " --report " +
                  path("report.json") + " " + text),
              0)
        << err_;
    std::istringstream lines(read("events.csv"));
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "rank,word_index,partition,records,bytes,capacity_bytes,event");
    std::map<std::string, int> kinds;
    while (std::getline(lines, line)) {
        ++kinds[line.substr(line.rfind(',') + 1)];
    }
    EXPECT_EQ(kinds["put"] + kinds["combine"], 16);
    EXPECT_EQ(kinds["put"], metric("kv.after_combine"));
    EXPECT_EQ(kinds["exchange"], 4 * metric("rounds"));
}

TEST_F(Apps, TakeBinaryGarbageAsWords) {
    std::string garbage(100'000, '\0');
    std::uint64_t state = 1;
    for (char& c : garbage) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        c = static_cast<char>(state >> 56U);
    }
    const std::string text = write("garbage", garbage);
    ASSERT_EQ(run("reduce-by-key --report " + path("report.json") + " " + text), 0) << err_;
    EXPECT_GT(metric("keys"), 1000);
}

}  // namespace
