// Words of files, whoever reads which bytes.

#include <gtest/gtest.h>

#include <numeric>
#include <sstream>

#include "reference.hpp"
#include "world.hpp"

namespace kvasir::test {
namespace {

using namespace std::string_literals;
using Counts = std::map<std::string, std::string>;

void count_words(const std::string& text, std::map<std::string, std::uint64_t>& counts) {
    std::string word;
    for (const char c : text + " ") {
        if (!WhiteSpace::separates(c)) {
            word += c;
        } else if (!word.empty()) {
            ++counts[word];
            word.clear();
        }
    }
}

Counts expected_of(const std::vector<std::string>& texts) {
    std::map<std::string, std::uint64_t> counts;
    for (const std::string& text : texts) {
        count_words(text, counts);
    }
    Counts expected;
    for (const auto& [word, count] : counts) {
        expected[word] = std::to_string(count);
    }
    return expected;
}

Counts counted(const std::vector<std::string>& paths, const Options& options) {
    const auto result = map_reduce<std::string_view, std::uint64_t>(
        MPI_COMM_WORLD, words(paths), [](auto word, auto& emit) { emit(word, 1); },
        [](std::uint64_t a, std::uint64_t b) { return a + b; },
        [](std::string_view, std::span<const std::uint64_t> ones) {
            return std::to_string(std::accumulate(ones.begin(), ones.end(), std::uint64_t{0}));
        },
        options);
    return collect_result(world(), result);
}

std::vector<Options> reading_options() {
    std::vector<Options> all;
    for (const InputMode mode : {InputMode::fixed, InputMode::dynamic}) {
        for (const std::size_t slice : {64, 100, 4096}) {
            for (const std::size_t chunk : {64, 777, 1 << 20}) {
                Options options;
                options.input = mode;
                options.slice = slice;
                options.chunk = chunk;
                all.push_back(options);
            }
        }
    }
    return all;
}

std::string where(const Options& options) {
    return name_of(options.input) + " input, slice " + std::to_string(options.slice) + ", chunk " +
           std::to_string(options.chunk);
}

std::string random_text(std::mt19937_64& random) {
    std::string text;
    const std::uint64_t longest = 1 + random() % 200;
    for (std::uint64_t words = random() % 200; words != 0; --words) {
        text.append(random() % longest, static_cast<char>(random() % 256));
        text.append(random() % 4, " \t\n\r"[random() % 4]);
    }
    return text;
}

TEST(TextInput, CountsRandomFiles) {
    std::mt19937_64 random(5);
    for (int round = 0; round < 4; ++round) {
        const SharedFolder folder;
        std::vector<std::string> texts;
        for (int i = 0; i < 5; ++i) {
            texts.push_back(i == 1 ? "" : random_text(random));
            folder.write((i < 3 ? "" : "below/") + std::to_string(i) + ".txt", texts.back());
        }
        for (const Options& options : reading_options()) {
            ASSERT_EQ(counted({folder.path()}, options), expected_of(texts)) << where(options);
        }
    }
}

TEST(TextInput, CountsHardTexts) {
    const std::vector<std::string> texts{"",
                                         " ",
                                         " \n\t ",
                                         "word",
                                         "last line without end",
                                         std::string(5000, 'x'),
                                         "a " + std::string(3000, 'y') + " b",
                                         std::string(1000, ' ') + "end",
                                         "nul\0in word \xff\xfe invalid \xc3"s,
                                         "gr\xc3\xbc\xc3\x9f"
                                         "e \xe2\x80\x83 no-break\xc2\xa0space"};
    const SharedFolder folder;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::string file = folder.write(std::to_string(i), texts[i]);
        for (const Options& options : reading_options()) {
            ASSERT_EQ(counted({file}, options), expected_of({texts[i]})) << i << ": " << where(options);
        }
    }
}

TEST(TextInput, FilesDoNotRunIntoEachOther) {
    const SharedFolder folder;
    const std::string a = folder.write("a", "one tw");
    const std::string b = folder.write("b", "o three");
    for (const Options& options : reading_options()) {
        ASSERT_EQ(counted({a, b}, options), expected_of({"one tw o three"})) << where(options);
    }
}

TEST(TextInput, ReadsLines) {
    const SharedFolder folder;
    const std::string file = folder.write("lines", "first line\n\nsecond line\nfirst line");
    const auto result = map_reduce<std::string_view, int>(
        MPI_COMM_WORLD, lines({file}), [](auto line, auto& emit) { emit(line, 1); }, no_combine,
        [](std::string_view, std::span<const int> ones) { return std::to_string(ones.size()); });
    EXPECT_EQ(collect_result(world(), result), (Counts{{"first line", "2"}, {"second line", "1"}}));
}

TEST(DynamicInput, GivesASlowReaderLess) {
    const SharedFolder folder;
    std::string text;
    for (int i = 0; i < 20'000; ++i) {
        text += "word" + std::to_string(i) + " ";
    }
    Text<WhiteSpace> input = words({folder.write("text", text)});
    if (world().rank() == 0) {  // as if this rank's disk were slow
        input.before_slice = [] {
            const timespec pause{0, 20'000'000};
            nanosleep(&pause, nullptr);
        };
    }
    Options options;
    options.input = InputMode::dynamic;
    options.chunk = 2000;
    const RankStats stats = map_aggregate<std::string_view, int>(
        MPI_COMM_WORLD, input, [](auto word, auto& emit) { emit(word, 1); }, options);
    std::vector<std::uint64_t> chunks(static_cast<std::size_t>(world().size()));
    complete("MPI_Iallgather", MPI_Iallgather, &stats.counters.input_chunks, 1, MPI_UINT64_T, chunks.data(),
             1, MPI_UINT64_T, world().get());
    EXPECT_EQ(std::accumulate(chunks.begin(), chunks.end(), std::uint64_t{0}), (text.size() + 1999) / 2000);
    if (world().size() > 1) {
        EXPECT_LT(chunks[0], *std::max_element(chunks.begin() + 1, chunks.end()));
    }
}

}  // namespace
}  // namespace kvasir::test
