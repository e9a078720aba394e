// The mini-apps with a budget of memory, as a user runs them.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "open_files.hpp"

namespace {

namespace fs = std::filesystem;

class SpillApps : public testing::Test {
  protected:
    void SetUp() override {
        std::string path = (fs::temp_directory_path() / "kvasir-spill-apps-XXXXXX").string();
        ASSERT_NE(mkdtemp(path.data()), nullptr);
        folder_ = path;
        fs::create_directory(spill());
        std::ofstream text(folder_ + "/text", std::ios::binary);
        for (std::uint64_t i = 0; i < kWords; ++i) {
            text << "word" << i * i % 60'013 << (i % 10 == 0 ? '\n' : ' ');
        }
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string spill() const { return folder_ + "/spill"; }
    std::string report() const { return folder_ + "/report.json"; }

    /// Runs a program with its arguments on two ranks, or by `launcher`; returns how it ended.
    int run(const std::string& program_and_arguments, const std::string& before_program = "") {
        const std::string command = std::string(MPIRUN) + " -n 2 " + before_program + " '" + PROGRAMS + "/" +
                                    program_and_arguments.substr(0, program_and_arguments.find(' ')) + "'" +
                                    program_and_arguments.substr(program_and_arguments.find(' ')) + " " +
                                    folder_ + "/text > /dev/null 2> " + folder_ + "/err < /dev/null";
        const int status = std::system(command.c_str());
        std::ifstream in(folder_ + "/err", std::ios::binary);
        err_ = {std::istreambuf_iterator<char>(in), {}};
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    std::size_t times_in_errors(const std::string& text) const {
        std::size_t count = 0;
        for (std::size_t at = err_.find(text); at != std::string::npos; at = err_.find(text, at + 1)) {
            ++count;
        }
        return count;
    }

    double metric(const std::string& name) const {
        std::ifstream in(report());
        return nlohmann::json::parse(in).at("metrics").at(name).at("value").get<double>();
    }

    static constexpr std::uint64_t kWords = 1'000'000;
    std::string folder_;
    std::string err_;
};

TEST_F(SpillApps, CountTheSameWithin1MB) {
    const std::string arguments = " --report " + report();
    ASSERT_EQ(run("group-by-key" + arguments), 0) << err_;
    const double checksum = metric("output.checksum");
    EXPECT_EQ(metric("spill.records"), 0);
    for (const std::string& program : {std::string("group-by-key"), std::string("reduce-by-key")}) {
        for (const char* strategy : {"partition-full", "by-fill"}) {
            ASSERT_EQ(
                run(program + arguments + " --memory 1M --spill " + spill() + " --strategy " + strategy), 0)
                << err_;
            EXPECT_EQ(metric("output.checksum"), checksum) << program << ", " << strategy;
            EXPECT_GE(metric("spill.records"), metric("spill.file"));
            EXPECT_GT(metric("spill.file"), 0);
            EXPECT_LE(metric("mem.kv.max"), 1e6);
        }
    }
    EXPECT_TRUE(fs::is_empty(spill()));
}

TEST_F(SpillApps, StreamAWordWithMoreOccurrencesThanTheBudgetHasRoomFor) {
    {
        std::ofstream text(folder_ + "/text", std::ios::binary | std::ios::app);
        for (std::uint64_t i = 0; i < kWords; ++i) {
            text << " the";  // 24 bytes a record: half of them on one rank are twelve times the budget
        }
    }
    const std::string arguments = "group-by-key --report " + report();
    ASSERT_EQ(run(arguments), 0) << err_;
    const double checksum = metric("output.checksum");
    ASSERT_EQ(run(arguments + " --memory 1M --spill " + spill()), 0) << err_;
    EXPECT_EQ(metric("output.checksum"), checksum);
    EXPECT_LE(metric("mem.kv.max"), 1e6);
    EXPECT_TRUE(fs::is_empty(spill()));
}

TEST_F(SpillApps, SayOnceThatTheBudgetIsTooSmall) {
    const std::string output = folder_ + "/parts";
    EXPECT_NE(run("group-by-key --memory 1M --output " + output + " --report " + report()), 0);
    EXPECT_EQ(times_in_errors("error: "), 1U) << err_;
    EXPECT_EQ(times_in_errors(": memory: the records need 1."), 1U) << err_;
    EXPECT_EQ(times_in_errors("the budget (--memory) is 1.0 MB"), 1U) << err_;
    EXPECT_FALSE(fs::exists(report()));
    EXPECT_FALSE(fs::exists(output));
}

TEST_F(SpillApps, SayOnceThatTheSpillFileCannotGrow) {
    const std::string limited = folder_ + "/limited.sh";
    // Not for the engine, which sends no byte beyond the limit, but for MPI's own files.
    std::ofstream(limited) << "#!/bin/sh\nulimit -f 100\ntrap '' XFSZ\nexec \"$@\"\n";
    fs::permissions(limited, fs::perms::owner_all);
    EXPECT_NE(run("group-by-key --memory 1M --spill " + spill() + " --report " + report(), limited), 0);
    EXPECT_EQ(times_in_errors("error: "), 1U) << err_;
    EXPECT_EQ(times_in_errors("more to a file in " + spill()), 1U) << err_;
    EXPECT_EQ(times_in_errors("File too large; give --spill"), 1U) << err_;
    EXPECT_FALSE(fs::exists(report()));
    EXPECT_TRUE(fs::is_empty(spill()));
}

TEST_F(SpillApps, RefuseWhatCannotBeCombined) {
    for (const char* other : {"--balance split", "--pipeline staged"}) {
        EXPECT_NE(run(std::string("group-by-key --memory 1M --spill ") + spill() + " " + other), 0);
        EXPECT_EQ(times_in_errors("error: "), 1U) << err_;
        EXPECT_EQ(times_in_errors(std::string("cannot be combined with ") + other), 1U) << err_;
    }
}

/// Returns the process that holds a file open in `folder`, or 0.
pid_t holder_of_a_file(const std::string& folder) {
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") == std::string::npos &&
            !kvasir::test::open_files(name, folder).empty()) {
            return std::stoi(name);
        }
    }
    return 0;
}

TEST_F(SpillApps, LeaveNothingWhenARankIsKilled) {
    const pid_t launcher = fork();
    if (launcher == 0) {
        const int nothing = open("/dev/null", O_RDWR);
        dup2(nothing, 0);
        dup2(nothing, 1);
        dup2(nothing, 2);
        const std::string program = std::string(PROGRAMS) + "/group-by-key";
        const std::string text = folder_ + "/text";
        execl(MPIRUN, MPIRUN, "-n", "2", program.c_str(), "--memory", "100kB", "--spill", spill().c_str(),
              "--report", report().c_str(), text.c_str(), nullptr);
        _exit(127);
    }
    pid_t rank = 0;
    int status = 0;
    pid_t ended = 0;
    while (rank == 0 && ended == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        rank = holder_of_a_file(spill());
        ended = waitpid(launcher, &status, WNOHANG);
    }
    ASSERT_NE(rank, 0) << "the job ended before it was seen to spill";
    ASSERT_EQ(kill(rank, SIGKILL), 0);
    ASSERT_EQ(waitpid(launcher, &status, 0), launcher);
    EXPECT_NE(status, 0);
    while (holder_of_a_file(spill()) != 0) {  // the launcher may be first to end
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_TRUE(fs::is_empty(spill()));
    EXPECT_FALSE(fs::exists(report()));
}

}  // namespace
