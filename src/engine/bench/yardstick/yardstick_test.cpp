// The real program against coreutils (tr, sort, uniq), which shares no code with it.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>

namespace {

namespace fs = std::filesystem;

class Yardstick : public ::testing::Test {
  protected:
    Yardstick() {
        std::string name = (fs::temp_directory_path() / "yardstick test.XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) {
            throw std::runtime_error("no folder for the test");
        }
        folder_ = name;
    }
    ~Yardstick() override { fs::remove_all(folder_); }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }

    /// As one word of a shell command.
    std::string quoted(const std::string& name) const {
        return std::string(1, '\'').append(path(name)).append(1, '\'');
    }

    void write(const std::string& name, const std::string& text) const {
        std::ofstream(path(name), std::ios::binary) << text;
    }
    std::string read(const std::string& name) const {
        std::ostringstream text;
        text << std::ifstream(path(name), std::ios::binary).rdbuf();
        return text.str();
    }

    /// Exit code of a shell command; what it said on standard error is in the file "err".
    int shell(const std::string& command) const {
        const int status = std::system((command + " 2> " + quoted("err")).c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    }

    /// Values of the metrics that the program reports of some inputs, by their name.
    nlohmann::json count(const std::string& inputs) const {
        EXPECT_EQ(shell("'" YARDSTICK_PROGRAM "' " + inputs + " --report " + quoted("r") + " --output " +
                        quoted("counts")),
                  0)
            << read("err");
        const nlohmann::json facts = nlohmann::json::parse(read("r"));
        nlohmann::json values;
        for (const auto& [name, metric] : facts["metrics"].items()) {
            values[name] = metric["value"];
        }
        return values;
    }

    /// Counts the file "t" by both ways and expects the same list and totals.
    nlohmann::json count_and_compare() const {
        nlohmann::json report = count(quoted("t"));
        EXPECT_EQ(shell("export LC_ALL=C; tr -s ' \\t\\n\\v\\f\\r' '\\n' < " + quoted("t") +
                        " | sed '/^$/d' | sort | uniq -c | sed 's/^ *\\([0-9]*\\) /\\1\\t/' > " +
                        quoted("reference")),
                  0);
        const std::string reference = read("reference");
        EXPECT_EQ(read("counts"), reference);
        std::istringstream lines(reference);
        std::uint64_t words = 0;
        std::uint64_t keys = 0;
        for (std::string line; std::getline(lines, line); ++keys) {
            words += std::stoull(line);
        }
        EXPECT_EQ(report["words"], words);
        EXPECT_EQ(report["keys"], keys);
        EXPECT_EQ(report["input.bytes"], fs::file_size(path("t")));
        return report;
    }

  private:
    fs::path folder_;
};

/// Text of words of all lengths up to `longest`, few or many of them, with any white space between.
std::string random_text(std::mt19937_64& random, std::size_t words, unsigned longest, unsigned letters) {
    const std::string spaces = " \t\n\v\f\r";
    std::string text;
    for (std::size_t i = 0; i < words; ++i) {
        for (auto n = 1 + random() % longest; n > 0; --n) {
            text.push_back(static_cast<char>('a' + random() % letters));
        }
        for (auto n = 1 + (random() % 8 == 0 ? random() % 4 : 0); n > 0; --n) {
            text.push_back(spaces[random() % spaces.size()]);
        }
    }
    return text;
}

TEST_F(Yardstick, CountsRandomTextsAsCoreutilsDo) {
    std::mt19937_64 random(1);
    for (const unsigned longest : {1U, 3U, 7U, 8U, 15U, 16U, 17U, 40U, 300U}) {
        for (const unsigned letters : {1U, 2U, 26U}) {
            SCOPED_TRACE(std::to_string(longest) + " letters of " + std::to_string(letters));
            std::string text = random_text(random, 1 + random() % 20'000, longest, letters);
            if (random() % 2 == 0) {
                text.pop_back();  // the last word may end with the file
            }
            write("t", text);
            count_and_compare();
        }
    }
}

TEST_F(Yardstick, CountsAllBytesThatAreNotWhiteSpace) {
    std::mt19937_64 random(2);
    std::string text;
    while (text.size() < 200'000) {
        text.push_back(static_cast<char>(random() % 256));
    }
    write("t", text);
    count_and_compare();
}

TEST_F(Yardstick, CountsWordsAcrossReadsAndOneHugeWord) {
    std::mt19937_64 random(3);
    std::string text = random_text(random, 100'000, 12, 26);
    text +=
        std::string(3'000'001, 'x') + " " + std::string(3'000'001, 'x') + "\n" + std::string(3'000'000, 'x');
    write("t", text);
    const nlohmann::json report = count_and_compare();
    EXPECT_EQ(report["words"], 100'003);
}

TEST_F(Yardstick, NothingButWhiteSpaceHasNoWords) {
    for (const char* text : {"", " ", "\n\n\t \r\n"}) {
        write("t", text);
        const nlohmann::json report = count(quoted("t"));
        EXPECT_EQ(report["words"], 0);
        EXPECT_EQ(report["keys"], 0);
        EXPECT_EQ(report["output.checksum"], 0);
        EXPECT_EQ(read("counts"), "");
    }
}

TEST_F(Yardstick, ChecksumKnowsWordsAndCountsButNotTheirOrder) {
    const auto checksum = [&](const std::string& text) {
        write("t", text);
        return count(quoted("t"))["output.checksum"].get<std::uint64_t>();
    };
    const std::uint64_t once = checksum("a bb a ccc a-word-of-more-than-fifteen-letters");
    EXPECT_LT(once, std::uint64_t{1} << 52U);
    EXPECT_EQ(checksum("ccc a-word-of-more-than-fifteen-letters a a\nbb\n"), once);
    EXPECT_NE(checksum("a bb bb ccc a-word-of-more-than-fifteen-letters"), once);  // same words, other counts
    EXPECT_NE(checksum("a bb a ccd a-word-of-more-than-fifteen-letters"), once);
    EXPECT_NE(checksum("a bb a ccc a-word-of-more-than-fifteen-letterz"), once);
}

TEST_F(Yardstick, FoldersAreCountedWithAllBelowAndWordsEndWithTheirFile) {
    fs::create_directories(path("in/below"));
    write("in/a", "one tw");
    write("in/below/b", "o three");
    write("c", "one");
    const nlohmann::json report = count(quoted("in") + " " + quoted("c"));
    EXPECT_EQ(report["words"], 5);
    EXPECT_EQ(read("counts"), "1\to\n2\tone\n1\tthree\n1\ttw\n");
}

TEST_F(Yardstick, WhatCannotBeDoneIsOneLineAndLeavesNothing) {
    write("t", "a b\n");
    const std::string program = "'" YARDSTICK_PROGRAM "' ";
    EXPECT_EQ(shell(program + quoted("absent")), 1);
    EXPECT_EQ(read("err"), "wordcount-yardstick: " + path("absent") + ": no such file or folder\n");
    EXPECT_NE(shell(program + "> " + quoted("out")), 0);
    EXPECT_EQ(shell(program + quoted("t") + " --report " + quoted("no folder/r")), 1);
    EXPECT_NE(read("err").find("cannot be written"), std::string::npos);
    fs::create_directory(path("r"));
    EXPECT_EQ(shell(program + quoted("t") + " --report " + quoted("r")), 1);
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(path("t")).parent_path())) {
        EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
    }
}

TEST_F(Yardstick, SortsAsCoreutilsDo) {
    std::mt19937_64 random(5);
    for (const unsigned length : {2U, 8U, 9U, 10U, 41U}) {
        for (const unsigned letters : {1U, 2U, 26U}) {
            SCOPED_TRACE(std::to_string(length) + " bytes of " + std::to_string(letters));
            std::string text;
            for (auto records = random() % 20'000; records > 0; --records) {
                for (unsigned i = 1; i < length; ++i) {
                    text.push_back(static_cast<char>('!' + random() % letters));
                }
                text.push_back('\n');
            }
            write("t", text);
            ASSERT_EQ(shell("'" SORT_PROGRAM "' --record " + std::to_string(length) + " " + quoted("t") +
                            " --output " + quoted("sorted") + "; LC_ALL=C sort " + quoted("t") + " > " +
                            quoted("reference")),
                      0)
                << read("err");
            EXPECT_TRUE(read("sorted") == read("reference"));
        }
    }
    write("t", "abc");
    EXPECT_EQ(shell("'" SORT_PROGRAM "' " + quoted("t") + " --output " + quoted("sorted")), 1);
    EXPECT_EQ(read("err"), "sort-yardstick: " + path("t") + ": has 3 bytes, expected a multiple of 100\n");
}

#ifdef GENERATE_PROGRAM
TEST_F(Yardstick, GeneratedTextsHoldWhatTheirReportSays) {
    for (const char* law : {"interleaved", "zipf", "superkey"}) {
        SCOPED_TRACE(law);
        ASSERT_EQ(shell("'" GENERATE_PROGRAM "' --words 300000 --unique 5000 --seed 7 --distribution " +
                        std::string(law) + " --output " + quoted("t") + " --report " + quoted("g")),
                  0)
            << read("err");
        const nlohmann::json generated = nlohmann::json::parse(read("g"));
        const nlohmann::json report = count_and_compare();
        EXPECT_EQ(report["words"], 300'000);
        EXPECT_EQ(report["words"], generated["words"]);
        EXPECT_EQ(report["keys"], 5'000);
        EXPECT_EQ(report["keys"], generated["unique"]);
        EXPECT_EQ(report["input.bytes"], generated["bytes"]);
    }
}
#endif

}  // namespace
