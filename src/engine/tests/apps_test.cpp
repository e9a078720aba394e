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
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

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

TEST_F(Apps, CountRealTextAsCoreutilsDo) {
    std::string text = write("text", "");
    const std::string licences = "/usr/share/common-licenses/";
    for (const std::string& from :
         {ENGINE "/README.md"s, ENGINE "/HDFS.md"s, licences + "GPL-3", licences + "Artistic"}) {
        std::ofstream(text, std::ios::binary | std::ios::app)
            << std::ifstream(from, std::ios::binary).rdbuf();
    }
    ASSERT_GT(fs::file_size(text), 10'000U);
    for (const auto& [options, filter] : std::map<std::string, std::string>{
             {"", "cat"},
             {"--fold-case", "tr A-Z a-z"},
             {"--strip-punctuation", "tr -d '[:punct:]'"},
             {"--fold-case --strip-punctuation --slice 100", "tr A-Z a-z | tr -d '[:punct:]'"}}) {
        const std::string counted = path("counted" + std::to_string(filter.size()));
        ASSERT_EQ(run("reduce-by-key --output " + counted + " " + options + " " + text), 0) << err_;
        const std::string expected = "export LC_ALL=C; cat " + text + " | " + filter +
                                     " | tr -s '[:space:]' '\\n' | grep . | sort | uniq -c"
                                     " | awk '{ print $2 \"\\t\" $1 }' > " +
                                     path("expected");
        ASSERT_EQ(std::system(expected.c_str()), 0);
        ASSERT_EQ(std::system(("LC_ALL=C sort " + counted + "/part-* > " + path("sorted")).c_str()), 0);
        ASSERT_EQ(std::system(("LC_ALL=C sort -o " + path("expected") + " " + path("expected")).c_str()), 0);
        EXPECT_EQ(read("sorted"), read("expected")) << options;
        EXPECT_GT(read("sorted").size(), 5000U);
    }
}

TEST_F(Apps, CountLinesStringsAndRecords) {
    const std::string lines = write("lines", "a b\n\na b\nc");
    const std::string report = " --top 5 --report " + path("report.json") + " ";
    ASSERT_EQ(run("reduce-by-key --separator newline" + report + lines), 0) << err_;
    EXPECT_EQ(out_, "a b\t2\nc\t1\n");
    EXPECT_EQ(nlohmann::json::parse(read("report.json")).at("keys"), "lines");
    const std::string names = write("names", "x\ny\0z\0x\ny\0"s);
    ASSERT_EQ(run("group-by-key --separator nul" + report + names), 0) << err_;
    EXPECT_EQ(out_, "x\ny\t2\0z\t1\0"s);
    ASSERT_EQ(run("group-by-key --separator nul --output " + path("nuls") + " " + names), 0) << err_;
    const std::string parts_text = read("nuls/part-00000") + read("nuls/part-00001");
    EXPECT_TRUE(parts_text == "x\ny\t2\0z\t1\0"s || parts_text == "z\t1\0x\ny\t2\0"s) << parts_text;
    ASSERT_EQ(run("group-by-key --record 2" + report + write("records", "abcdab")), 0) << err_;
    EXPECT_EQ(out_, "ab\t2\ncd\t1\n");
    EXPECT_NE(run("group-by-key --record 4 " + path("records")), 0);
    EXPECT_EQ(times_in_errors("error: "), 1U) << err_;
    EXPECT_EQ(times_in_errors("no whole number of records of 4 bytes"), 1U) << err_;
    EXPECT_NE(run("group-by-key --record 2 --fold-case " + path("records")), 0);
    EXPECT_EQ(times_in_errors("error: "), 1U) << err_;
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
         {"--combine none", "--combine before", "--combine after", "--strategy by-fill",
          "--strategy partition-full", "--pipeline staged", "--balance split --send-buffer 4kB",
          "--input dynamic --chunk 1000", "--combine-switch on"}) {
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

TEST_F(Apps, RemoveWhatAKilledJobHasNotFinished) {
    const std::string text = write("text", kText);
    write("parts/.part-00000.4711", "half a l");
    ASSERT_EQ(run("reduce-by-key --output " + path("parts") + " " + text), 0) << err_;
    EXPECT_FALSE(fs::exists(path("parts/.part-00000.4711")));
}

TEST_F(Apps, SayThatStandardOutputIsFull) {
    const std::string text = write("text", kText);
    EXPECT_NE(run_by("sh -c '\"$@\" > /dev/full' sh", "reduce-by-key --top 3 " + text), 0);
    EXPECT_EQ(times_in_errors("cannot write standard output: No space left on device"), 1U) << err_;
}

TEST_F(Apps, RefuseToPrintCountsThatTheyDoNotMake) {
    EXPECT_NE(run("map-aggregate --top 3 " + path("missing")), 0);
    EXPECT_EQ(times_in_errors("error: --output and --top: map-aggregate counts no words"), 1U) << err_;
}

TEST_F(Apps, LogTheFillOfPartitions) {
    const std::string text = write("text", "a b a b a b a b\na b a b a b a b");
    ASSERT_EQ(run("reduce-by-key --strategy partition-full --send-buffer 100 --events " + path("events.csv") +
                  " --report " + path("report.json") + " " + text),
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

class Records : public Apps {
  protected:
    int run_on(int ranks, const std::string& program_and_arguments) {
        return run_by(std::string(MPIRUN) + " -n " + std::to_string(ranks), program_and_arguments);
    }

    std::string generated(const std::string& name, const std::string& options) {
        EXPECT_EQ(run_by("", "generate --format records " + options + " --output " + path(name) +
                                 " --report " + path(name + ".json")),
                  0)
            << err_;
        return path(name);
    }

    std::string sorted_text(const std::string& folder) const {
        std::vector<fs::path> files;
        for (const auto& entry : fs::directory_iterator(path(folder))) {
            files.push_back(entry.path());
        }
        std::sort(files.begin(), files.end());
        std::string text;
        for (const fs::path& file : files) {
            std::ifstream in(file, std::ios::binary);
            text.append(std::istreambuf_iterator<char>(in), {});
        }
        return text;
    }

    static std::string sorted_plainly(const std::string& text) {
        std::vector<std::string> records;
        for (std::size_t at = 0; at < text.size(); at += 100) {
            records.push_back(text.substr(at, 100));
        }
        std::sort(records.begin(), records.end());  // byte by byte, as unsigned numbers
        std::string sorted;
        for (const std::string& record : records) {
            sorted += record;
        }
        return sorted;
    }
};

TEST_F(Records, AreSortedOnAnyNumberOfRanks) {
    for (const auto& [name, options] :
         std::map<std::string, std::string>{{"many", "--records 20000"},
                                            {"few-keys", "--records 5000 --unique 3"},
                                            {"one", "--records 1"},
                                            {"none", "--records 0"}}) {
        const std::string file = generated(name, options + " --seed 9");
        const std::string expected = sorted_plainly(read(name));
        const auto report = nlohmann::json::parse(read(name + ".json"));
        for (const int ranks : {1, 2, 3}) {
            const std::string folder = name + std::to_string(ranks);
            ASSERT_EQ(run_on(ranks, "sort-records --output " + path(folder) + " " + file), 0) << err_;
            EXPECT_EQ(sorted_text(folder), expected) << name << " on " << ranks << " ranks";
            ASSERT_EQ(run_on(4 - ranks, "check-records --unsorted " + file + " " + path(folder)), 0) << err_;
            EXPECT_NE(out_.find("records " + std::to_string(report.at("records").get<int>()) + "\n"),
                      std::string::npos)
                << out_;
            EXPECT_NE(out_.find("checksum " + report.at("checksum").get<std::string>() + "\n"),
                      std::string::npos)
                << out_;
        }
    }
    EXPECT_NE(out_.find("duplicate keys 0\n"), std::string::npos) << out_;
    ASSERT_EQ(run("check-records " + path("few-keys2")), 0) << err_;
    EXPECT_NE(out_.find("duplicate keys 4997\n"), std::string::npos) << out_;
}

TEST_F(Records, OfWhichOneRankCannotExchangeItsOwnEndAll) {
    // The records of the large file fit the budget of its rank, and leave no room for buffers.
    for (const auto& [name, records] : {std::pair{"small", 1000}, std::pair{"large", 38'000}}) {
        generated(name, "--records " + std::to_string(records));
        ASSERT_EQ(std::system(("gzip " + path(name)).c_str()), 0);
    }
    EXPECT_EQ(run_by("timeout 60 " + std::string(MPIRUN) + " -n 2",
                     "sort-records --memory 4MB --output " + path("sorted") + " " + path("small.gz") + " " +
                         path("large.gz")),
              1);
    EXPECT_EQ(times_in_errors("error: rank 1: memory: the records need"), 1U) << err_;
}

TEST_F(Records, FollowFromTheirSeedAndTheLayoutOfGensort) {
    generated("a", "--records 40000 --seed 3");
    generated("b", "--records 40000 --seed 3 --threads 3");
    generated("c", "--records 40000 --seed 4");
    EXPECT_EQ(read("a"), read("b"));
    EXPECT_NE(read("a"), read("c"));
    const std::string last = read("a").substr(3'999'900);
    EXPECT_EQ(last.substr(10, 34), "\x00\x11"s + "00000000000000000000000000009C3F");
    EXPECT_EQ(last.substr(44, 4) + last.substr(96), "\x88\x99\xaa\xbb\xcc\xdd\xee\xff");
}

TEST_F(Records, ThatArePrintableAreLines) {
    for (const std::string& options :
         {std::string("--records 3000"), std::string("--records 3000 --unique 5")}) {
        const std::string file = generated("lines", options + " --ascii");
        const std::string text = read("lines");
        std::set<std::string> keys;
        ASSERT_EQ(text.size(), 300'000U);
        for (std::size_t at = 0; at < text.size(); at += 100) {
            const std::string line = text.substr(at, 98);
            ASSERT_TRUE(std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; }));
            ASSERT_EQ(text.substr(at + 98, 2), "\r\n");
            keys.insert(line.substr(0, 10));
        }
        EXPECT_EQ(text.substr(299'900 + 10, 36), "  00000000000000000000000000000BB7  ");
        EXPECT_EQ(keys.size(), options.find("unique") == std::string::npos ? 3000U : 5U);
        const std::string folder = "sorted" + std::to_string(keys.size());
        ASSERT_EQ(run("sort-records --output " + path(folder) + " " + file), 0) << err_;
        EXPECT_EQ(sorted_text(folder), sorted_plainly(text));
    }
    EXPECT_NE(run_by("", "generate --words 10 --unique 5 --ascii --output " + path("text")), 0);
    EXPECT_EQ(times_in_errors("--records and --ascii for --format records"), 1U) << err_;
}

TEST_F(Records, ThatAreNotSortedOrNotAllThereAreFound) {
    const std::string file = generated("in", "--records 3000");
    const std::string sorted = sorted_plainly(read("in"));
    const std::string good = write("good", sorted);
    const std::string swapped = sorted.substr(0, 100'000) + sorted.substr(100'100, 100) +
                                sorted.substr(100'000, 100) + sorted.substr(100'200);
    std::string changed = sorted;
    changed[150'050] = static_cast<char>(changed[150'050] ^ 1);
    const std::string first = write("first", sorted.substr(0, 150'000));
    const std::string second = write("second", sorted.substr(150'000));
    for (const int ranks : {1, 3}) {
        EXPECT_EQ(run_on(ranks, "check-records --unsorted " + file + " " + first + " " + second), 0) << err_;
        const std::vector<std::pair<std::string, std::string>> cases{
            {write("swapped", swapped), "not sorted: record 1002 has"},
            {second + " " + first, "not sorted: record 1501 has"},
            {write("dropped", sorted.substr(0, 200'000) + sorted.substr(200'100)), "2999 records, and 3000"},
            {write("twice", sorted.substr(0, 100) + sorted.substr(0, 299'900)), "the checksums differ"},
            {write("changed", changed), "the checksums differ"}};
        for (const auto& [files, message] : cases) {
            EXPECT_NE(run_on(ranks, "check-records --unsorted " + file + " " + files), 0) << files;
            EXPECT_EQ(times_in_errors("error: "), 1U) << err_;
            EXPECT_EQ(times_in_errors(message), 1U) << files << ": " << err_;
        }
    }
    EXPECT_NE(run("sort-records --output " + path("out-of-half") + " " + write("half", "no record")), 0);
    EXPECT_EQ(times_in_errors("9 bytes are no whole number of records of 100 bytes"), 1U) << err_;
    EXPECT_FALSE(fs::exists(path("out-of-half")));
    EXPECT_NE(run("sort-records --key 101 --output " + path("o") + " " + good), 0);
    EXPECT_EQ(times_in_errors("error: --key: 101 bytes; a record has only 100"), 1U) << err_;
}

TEST_F(Apps, ExampleCountsWords) {
    write("texts/a", "the cat and the dog");
    write("texts/b", "the end and");
    ASSERT_EQ(run("word_count " + path("texts")), 0) << err_;
    EXPECT_EQ(out_, "the 3\nand 2\ncat 1\ndog 1\nend 1\n");
}

/// PageRank by a dense matrix, the rank of vertices without edges spread over all.
std::vector<double> dense_page_rank(std::size_t vertices,
                                    const std::vector<std::pair<std::size_t, std::size_t>>& edges,
                                    int rounds) {
    std::vector<std::vector<double>> matrix(vertices, std::vector<double>(vertices));
    std::vector<double> degrees(vertices);
    for (const auto& [source, target] : edges) {
        degrees[source] += 1;
        matrix[target][source] += 1;
    }
    std::vector<double> ranks(vertices, 1.0 / static_cast<double>(vertices));
    for (int round = 0; round < rounds; ++round) {
        std::vector<double> next(vertices, 0.15 / static_cast<double>(vertices));
        for (std::size_t to = 0; to < vertices; ++to) {
            for (std::size_t from = 0; from < vertices; ++from) {
                const double weight = degrees[from] == 0 ? 1.0 / static_cast<double>(vertices)
                                                         : matrix[to][from] / degrees[from];
                next[to] += 0.85 * weight * ranks[from];
            }
        }
        ranks = std::move(next);
    }
    return ranks;
}

TEST_F(Apps, ExampleRanksPagesAsADenseMatrixDoes) {
    constexpr std::size_t vertices = 60;
    std::vector<std::pair<std::size_t, std::size_t>> edges;
    std::string text;
    for (std::size_t i = 0; i < vertices; ++i) {  // every seventh has no edges, some have one twice
        for (std::size_t k = 0; i % 7 != 0 && k < 1 + i % 5; ++k) {
            edges.emplace_back(i, (i * i + 3 * k) % vertices);
        }
        edges.emplace_back(1, i);
    }
    for (const auto& [source, target] : edges) {
        text += std::to_string(source) + " " + std::to_string(target) + "\n";
    }
    const std::string file = write("edges", text);
    for (const int rounds : {1, 100}) {
        const std::vector<double> expected = dense_page_rank(vertices, edges, rounds);
        for (const int ranks : {1, 2, 3}) {
            ASSERT_EQ(run_by(MPIRUN + " -n "s + std::to_string(ranks),
                             "pagerank " + file + " " + std::to_string(rounds)),
                      0)
                << err_;
            std::map<std::size_t, double> found;
            std::istringstream lines(out_);
            std::size_t vertex = 0;
            for (double rank = 0; lines >> vertex >> rank;) {
                EXPECT_TRUE(found.emplace(vertex, rank).second) << vertex;
            }
            ASSERT_EQ(found.size(), vertices);
            for (const auto& [name, rank] : found) {
                EXPECT_NEAR(rank, expected.at(name), 1e-11) << name << " of " << ranks << " ranks";
            }
        }
    }
    EXPECT_NE(run("pagerank " + write("bad", "1 2\nthree four\n")), 0);
    EXPECT_EQ(times_in_errors("no edge: 'three four'"), 1U) << err_;
}

}  // namespace
