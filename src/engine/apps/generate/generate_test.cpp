// The generator: exact counts over random settings, the same bytes for any number of threads, clear errors.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "laws.hpp"
#include "vocabulary.hpp"

namespace kvasir::generate {
namespace {

namespace fs = std::filesystem;

// Folders' names may have blanks.
const std::string kProgram = "'" + std::string(GENERATE_PROGRAM) + "'";

class Scratch : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = fs::temp_directory_path() / "generate test.XXXXXX";
        folder = ::mkdtemp(name.data());
    }
    void TearDown() override { fs::remove_all(folder); }

    struct Done {
        int code;
        std::string errors;
    };

    /// Run the program with `arguments`; {} stands for the scratch folder.
    Done run(std::string arguments) const {
        for (std::size_t at = 0; (at = arguments.find("{}")) != std::string::npos;) {
            arguments.replace(at, 2, folder.string());
        }
        const fs::path errors = folder / "errors";
        const std::string command = kProgram + " " + arguments + " >/dev/null 2>'" + errors.string() + "'";
        const int status = std::system(command.c_str());
        return {WEXITSTATUS(status), read("errors")};
    }

    std::string read(const std::string& name) const {
        std::ifstream file(folder / name, std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }

    std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder)) {
            if (entry.path().filename() != "errors") names.push_back(entry.path().filename());
        }
        return names;
    }

    fs::path folder;
};

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

TEST(Vocabulary, IsABijectionOntoItsWords) {
    for (const auto& [shortest, longest] : {std::pair{1U, 3U}, {2U, 3U}, {3U, 3U}}) {
        const Vocabulary vocabulary(shortest, longest, 7);
        std::set<std::string> seen;
        for (std::uint64_t k = 0; k < vocabulary.capacity(); ++k) {
            const Word word = vocabulary[k];
            ASSERT_GE(word.length, shortest);
            ASSERT_LE(word.length, longest);
            for (const char letter : word.text()) ASSERT_TRUE(letter >= 'a' && letter <= 'z');
            seen.emplace(word.text());
        }
        EXPECT_EQ(seen.size(), vocabulary.capacity());
    }
}

TEST(Vocabulary, LengthsTakeTurns) {
    const Vocabulary vocabulary(5, 8, 3);
    for (std::uint64_t k = 0; k < 1000; ++k) EXPECT_EQ(vocabulary[k].length, 5 + k % 4);
    EXPECT_GT(vocabulary.capacity(), 50'000'000U) << "the paper's largest data set";
}

template <class Law>
std::map<std::uint64_t, std::uint64_t> counts_of(const Law& law, std::uint64_t words) {
    std::map<std::uint64_t, std::uint64_t> counts;
    for (std::uint64_t place = 0; place < words; ++place) ++counts[law(place)];
    return counts;
}

TEST(Laws, UseEveryWordAndNoOther) {
    std::mt19937_64 random(1);
    for (int turn = 0; turn < 200; ++turn) {
        const std::uint64_t words = 1 + random() % 3000;
        const std::uint64_t unique = 1 + random() % words;
        for (const auto& counts : {counts_of(Interleaved(unique, random()), words),
                                   counts_of(Zipf(words, unique, 1.0, random()), words)}) {
            ASSERT_EQ(counts.size(), unique) << words << " words";
            ASSERT_EQ(counts.rbegin()->first, unique - 1);
        }
        const std::uint64_t heavy = words * 3 / 5;
        if (heavy > 0 && words - heavy >= unique - 1) {
            const auto counts = counts_of(Superkey(words, unique, 0.6), words);
            ASSERT_EQ(counts.size(), unique) << words << " words";
        }
    }
}

/// Words of a text, asked for in runs of `step` places.
template <class Law>
std::vector<std::uint64_t> in_runs(const Law& law, std::uint64_t words, std::size_t step) {
    std::vector<std::uint64_t> made(words);
    for (std::uint64_t place = 0; place < words; place += step) {
        law.run(place, std::min<std::uint64_t>(step, words - place), &made[place]);
    }
    return made;
}

TEST(Laws, SayTheSameInRunsOfAnyLength) {
    std::mt19937_64 random(2);
    for (int turn = 0; turn < 100; ++turn) {
        const std::uint64_t words = 2 + random() % 3000;
        const std::uint64_t unique = 1 + random() % (words / 2);
        const auto expect_same = [&](const auto& law) {
            const auto one_by_one = in_runs(law, words, 1);
            EXPECT_EQ(one_by_one, in_runs(law, words, 1 + random() % kRun)) << words << ", " << unique;
            EXPECT_EQ(one_by_one, in_runs(law, words, kRun)) << words << ", " << unique;
        };
        expect_same(Interleaved(unique, random()));
        expect_same(Zipf(words, unique, 0.8, random()));
        expect_same(Superkey(words, unique, 0.5));
    }
}

TEST(Laws, TopIsTheMostFrequentWord) {
    std::mt19937_64 random(3);
    for (int turn = 0; turn < 200; ++turn) {
        const std::uint64_t words = 2 + random() % 500;
        const std::uint64_t unique = 1 + random() % (words / 2);
        const auto expect_top = [&](const auto& law) {
            auto counts = counts_of(law, words);
            std::uint64_t most = 0;
            for (const auto& [word, count] : counts) most = std::max(most, count);
            EXPECT_EQ(law.top(words).count, most) << words << ", " << unique;
            EXPECT_EQ(counts[law.top(words).word], most) << words << ", " << unique;
        };
        expect_top(Interleaved(unique, random()));
        for (const double share : {0.01, 0.1, 0.5}) expect_top(Superkey(words, unique, share));
    }
}

TEST(Laws, AnyWindowOfInterleavedTextHoldsAllWords) {
    const Interleaved law(37, 5);
    for (std::uint64_t from = 0; from < 200; ++from) {
        std::set<std::uint64_t> window;
        for (std::uint64_t place = from; place < from + 37; ++place) window.insert(law(place));
        ASSERT_EQ(window.size(), 37U);
    }
}

TEST(Laws, SuperkeyHasItsShareEverywhere) {
    const std::uint64_t words = 100'000;
    const Superkey law(words, 1000, 0.6);
    EXPECT_EQ(counts_of(law, words)[0], 60'000U);
    std::uint64_t heavy = 0;
    for (std::uint64_t place = 0; place < words; ++place) {
        heavy += law(place) == 0 ? 1 : 0;
        ASSERT_NEAR(static_cast<double>(heavy), 0.6 * static_cast<double>(place + 1), 1.0);
    }
}

TEST(Laws, ZipfFollowsItsLaw) {
    const std::uint64_t words = 400'000;
    const std::uint64_t unique = 1000;
    auto counts = counts_of(Zipf(words, unique, 1.0, 11), words);
    double harmonic = 0;
    for (std::uint64_t k = 1; k <= unique; ++k) harmonic += 1.0 / static_cast<double>(k);
    for (const std::uint64_t k : {0U, 1U, 2U, 9U, 99U}) {
        // One of each word is given, the rest is drawn.
        const double expected =
            1 + static_cast<double>(words - unique) / (harmonic * static_cast<double>(k + 1));
        EXPECT_NEAR(static_cast<double>(counts[k]), expected, 6 * std::sqrt(expected)) << "word " << k;
    }
}

TEST_F(Scratch, CountsAreExactAndReported) {
    for (const std::string law : {"interleaved", "zipf", "superkey"}) {
        const Done done = run("--words 12345 --unique 321 --distribution " + law +
                              " --seed 5 --output '{}/t' --report '{}/r'");
        ASSERT_EQ(done.code, 0) << done.errors;
        const std::string text = read("t");
        const auto words = words_of(text);
        EXPECT_EQ(words.size(), 12345U);
        EXPECT_EQ(std::set<std::string>(words.begin(), words.end()).size(), 321U);
        EXPECT_EQ(text.back(), '\n');
        const auto report = nlohmann::json::parse(read("r"));
        EXPECT_EQ(report["words"], 12345);
        EXPECT_EQ(report["unique"], 321);
        EXPECT_EQ(report["bytes"], text.size());
        std::map<std::string, std::uint64_t> counts;
        for (const std::string& word : words) ++counts[word];
        const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
        EXPECT_EQ(report["max_count"], std::max_element(counts.begin(), counts.end(), less)->second) << law;
        EXPECT_EQ(report["max_count"], counts[report["top_word"]]) << law;
    }
}

TEST_F(Scratch, BytesDependOnTheSeedAndOnNothingElse) {
    const auto made = [&](const std::string& law, int seed, int threads) {
        const Done done =
            run("--words 1000003 --unique 5000 --distribution " + law + " --seed " + std::to_string(seed) +
                " --threads " + std::to_string(threads) + " --output '{}/t' --report '{}/r'");
        EXPECT_EQ(done.code, 0) << done.errors;
        return std::pair{read("t"), nlohmann::json::parse(read("r"))["checksum"].get<std::string>()};
    };
    for (const std::string law : {"interleaved", "zipf", "superkey"}) {
        const auto one = made(law, 1, 1);
        EXPECT_EQ(one, made(law, 1, 2));
        EXPECT_EQ(one, made(law, 1, 3));
        const auto other = made(law, 2, 1);
        EXPECT_NE(one.first, other.first);
        EXPECT_NE(one.second, other.second);
    }
}

TEST_F(Scratch, MistakesAreOneClearErrorAndLeaveNothing) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"--words -5 --unique 1 --output '{}/t'", "words"},
        {"--words 5 --unique 0 --output '{}/t'", "unique"},
        {"--words 5 --unique 6 --output '{}/t'", "6 distinct words do not fit in 5 words"},
        {"--words 5 --unique many --output '{}/t'", "unique"},
        {"--words 99 --unique 30 --word-length 1-1 --output '{}/t'", "only 26 words"},
        {"--words 99 --unique 3 --word-length 1-99 --output '{}/t'", "word length"},
        {"--words 99 --unique 3 --word-length long --output '{}/t'", "expected MIN-MAX"},
        {"--words 10 --unique 9 --distribution superkey --output '{}/t'", "leaves 4 of 10 words"},
        {"--words 10 --unique 9 --distribution normal --output '{}/t'", "distribution"},
        {"--words 5 --unique 5", "--output is required"},
        {"--words 5 --unique 5 --output '{}'", "is a folder"},
        {"--words 5 --unique 5 --output '{}/no/such/t'", "No such file"},
        {"--words 4000000000000000 --unique 5 --output '{}/t'", "the disk has"},
        // Nine bytes each, these are 2 bytes in 64-bit arithmetic.
        {"--words 2049638230412172402 --unique 5 --output '{}/t'", "at most 576460752303423488"},
        {"--words 5 --unique 5 --distribution zipf --exponent nan --output '{}/t'", "found nan"},
        {"--words 5 --unique 5 --output '{}/t' --report '{}/no/such/r'", "No such file"},
    };
    for (const auto& [arguments, expected] : cases) {
        const Done done = run(arguments);
        EXPECT_NE(done.code, 0) << arguments;
        EXPECT_NE(done.errors.find(expected), std::string::npos) << arguments << " said: " << done.errors;
        EXPECT_TRUE(files().empty()) << arguments << " left " << files().front();
    }
}

TEST_F(Scratch, AFullDiskIsAClearErrorAndLeavesNothing) {
    // The shell's limit on file size is what a full disk looks like to the writer.
    const fs::path errors = folder / "errors";
    const std::string command = "bash -c \"ulimit -f 64; trap '' XFSZ; exec " + kProgram +
                                " --words 1000000 --unique 5 --output '" + (folder / "t").string() + "' 2>'" +
                                errors.string() + "'\"";
    EXPECT_NE(WEXITSTATUS(std::system(command.c_str())), 0);
    EXPECT_NE(read("errors").find("cannot be written: File too large"), std::string::npos) << read("errors");
    EXPECT_TRUE(files().empty());
}

TEST_F(Scratch, StoppedInTheMiddleItLeavesNothing) {
    const std::string command = "timeout --preserve-status -s TERM 0.3 " + kProgram +
                                " --words 3000000000 --unique 5 --output '" + (folder / "t").string() +
                                "' 2>'" + (folder / "errors").string() + "'";
    EXPECT_NE(WEXITSTATUS(std::system(command.c_str())), 0);
    EXPECT_NE(read("errors").find("stopped by signal 15"), std::string::npos) << read("errors");
    EXPECT_TRUE(files().empty());
}

}  // namespace
}  // namespace kvasir::generate
