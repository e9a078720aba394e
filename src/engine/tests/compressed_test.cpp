// Inputs that are compressed, ended by NUL, of fixed length or filtered, whoever reads which bytes.

#include <gtest/gtest.h>

#include <numeric>

#include "kvasir/any_input.hpp"
#include "kvasir/compression.hpp"
#include "reference.hpp"
#include "world.hpp"

#if KVASIR_COMPRESSION
#include <zlib.h>
#include <zstd.h>
#endif

namespace kvasir::test {
namespace {

using namespace std::string_literals;
using Tally = std::map<std::string, std::uint64_t>;

template <class Input>
Tally tally(const Input& input, const Options& options) {
    const auto result = map_reduce<std::string_view, std::uint64_t>(
        MPI_COMM_WORLD, input, [](auto key, auto& emit) { emit(key, 1); },
        [](std::uint64_t a, std::uint64_t b) { return a + b; },
        [](std::string_view, std::span<const std::uint64_t> ones) {
            return std::to_string(std::accumulate(ones.begin(), ones.end(), std::uint64_t{0}));
        },
        options);
    Tally counts;
    for (const auto& [key, count] : collect_result(world(), result)) {
        counts[key] = std::stoull(count);
    }
    return counts;
}

std::vector<Options> slices_and_chunks() {
    std::vector<Options> all;
    for (const InputMode mode : {InputMode::fixed, InputMode::dynamic}) {
        for (const std::size_t slice : {64, 1000}) {
            Options options;
            options.input = mode;
            options.slice = slice;
            options.chunk = slice == 64 ? 777 : 1 << 20;
            all.push_back(options);
        }
    }
    return all;
}

/// Text of the error that the job ends with on this rank; empty if it does not.
template <class Input>
std::string error_of(const Input& input, const Options& options = {}) {
    try {
        tally(input, options);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Compression, IsSeenInTheFirstBytes) {
    EXPECT_EQ(compression_of("\x1f\x8b\x08\x00"s), Compression::gzip);
    EXPECT_EQ(compression_of("\x28\xb5\x2f\xfd"s), Compression::zstd);
    EXPECT_EQ(compression_of("\x53\x2a\x4d\x18"s), Compression::zstd);
    for (const std::string& text : {""s, "\x1f\x8b"s, "word"s, "\x43\x2a\x4d\x18"s, "\x28\xb5\x2f"s}) {
        EXPECT_EQ(compression_of(text), Compression::none) << text;
    }
}

#if KVASIR_COMPRESSION

std::string gzipped(const std::string& text) {
    std::string out(compressBound(text.size()) + 64, '\0');
    z_stream stream{};
    constexpr int gzip_header = 16;
    deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + gzip_header, 8, Z_DEFAULT_STRATEGY);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(out.size() - stream.avail_out);
    deflateEnd(&stream);
    return out;
}

std::string zstandard(const std::string& text) {
    std::string out(ZSTD_compressBound(text.size()), '\0');
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    const std::size_t size = ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size());
    ZSTD_freeCCtx(context);
    EXPECT_EQ(ZSTD_isError(size), 0U);
    out.resize(size);
    return out;
}

/// Numbered words, some of them more than once.
std::string numbered(std::uint64_t words, std::uint64_t step) {
    std::string text;
    for (std::uint64_t i = 0; i < words; ++i) {
        text += "word" + std::to_string(i * i % step) + (i % 11 == 0 ? "\n" : " ");
    }
    return text;
}

Tally words_in(const std::string& text) {
    Tally counts;
    std::istringstream stream(text);
    for (std::string word; stream >> word;) {
        ++counts[word];
    }
    return counts;
}

TEST(CompressedInput, IsReadAsTheTextInIt) {
    const SharedFolder folder;
    const std::string text = numbered(3000, 997);
    // Zstandard's skippable frame: magic, length 4, and four bytes that mean nothing.
    const std::string skippable = "\x53\x2a\x4d\x18\x04\x00\x00\x00skip"s;
    const std::vector<std::string> files{text,
                                         gzipped(text),
                                         zstandard(text),
                                         gzipped("one tw") + gzipped("o") + gzipped(" three"),
                                         zstandard("four fi") + skippable + zstandard("ve"),
                                         gzipped(""),
                                         skippable,
                                         "",
                                         gzipped("six") + std::string(1000, '\0'),
                                         zstandard(std::string(300'000, 'x'))};
    for (std::size_t i = 0; i < files.size(); ++i) {
        folder.write(std::to_string(i), files[i]);
    }
    const Tally expected =
        words_in(text + text + text + "one two three four five six " + std::string(300'000, 'x'));
    for (const Options& options : slices_and_chunks()) {
        ASSERT_EQ(tally(words({folder.path()}), options), expected)
            << name_of(options.input) << ", slice " << options.slice;
    }
}

TEST(CompressedInput, GoesToAllRanks) {
    const SharedFolder folder;
    for (int rank = 0; rank < world().size(); ++rank) {
        folder.write(std::to_string(rank), gzipped(numbered(2000, 997)));
    }
    const RankStats stats = map_aggregate<std::string_view, int>(
        MPI_COMM_WORLD, words({folder.path()}), [](auto word, auto& emit) { emit(word, 1); });
    EXPECT_EQ(stats.counters.emitted, 2000U);
}

TEST(CompressedInput, TruncatedOrDamagedIsOneErrorWithItsName) {
    const SharedFolder folder;
    const std::string text = numbered(3000, 2999);
    int number = 0;
    for (const std::string& whole : {gzipped(text), zstandard(text)}) {
        for (const std::size_t size : {std::size_t{5}, whole.size() / 2, whole.size() - 1}) {
            const std::string file = folder.write("cut" + std::to_string(++number), whole.substr(0, size));
            const std::string error = error_of(words({file}));
            EXPECT_TRUE(holds(error, "cannot read " + file) && holds(error, "truncated")) << error;
        }
        for (const std::size_t place : {whole.size() / 2, whole.size() - 3}) {
            std::string bytes = whole;
            bytes[place] = static_cast<char>(bytes[place] ^ 0x55);
            const std::string file = folder.write("damaged" + std::to_string(++number), bytes);
            const std::string error = error_of(words({file}));
            EXPECT_TRUE(holds(error, "cannot read " + file) && holds(error, "is damaged")) << error;
        }
        const std::string file = folder.write("more" + std::to_string(++number), whole + "and more");
        const std::string error = error_of(words({file}));
        EXPECT_TRUE(holds(error, "cannot read " + file) && holds(error, "is damaged")) << error;
    }
}

TEST(CompressedInput, HoldsRecordsAndStringsAsWell) {
    const SharedFolder folder;
    const std::string file = folder.write("records", gzipped("abcabdabc"));
    const std::string other = folder.write("strings", zstandard("a b\0c\0a b"s));
    const std::string bad = folder.write("bad", gzipped("abcd"));
    for (const Options& options : slices_and_chunks()) {
        EXPECT_EQ(tally(records({file}, 3), options), (Tally{{"abc", 2}, {"abd", 1}}));
        EXPECT_EQ(tally(strings({other}), options), (Tally{{"a b", 2}, {"c", 1}}));
        EXPECT_TRUE(holds(error_of(records({bad}, 3), options), "no whole number of records of 3 bytes"));
    }
}

#else

TEST(CompressedInput, IsRefusedByABuildWithoutIt) {
    const SharedFolder folder;
    const std::string file = folder.write("text.gz", "\x1f\x8b\x08\x00 and so on"s);
    const std::string error = error_of(words({file}));
    EXPECT_TRUE(holds(error, file) && holds(error, "built without zlib")) << error;
}

#endif

TEST(CompressedInput, IsTakenAsItIsWhereThatIsAskedFor) {
    const SharedFolder folder;
    Text<WhiteSpace> input = words({folder.write("text.gz", "\x1f\x8b\x08 no gzip"s)});
    input.decompress = false;
    EXPECT_EQ(tally(input, {}), (Tally{{"\x1f\x8b\x08", 1}, {"no", 1}, {"gzip", 1}}));
}

TEST(StringInput, IsCutAtNuls) {
    const SharedFolder folder;
    const std::string file = folder.write("names", "a file\n\0another\0\0a file\n\0last"s);
    for (const Options& options : slices_and_chunks()) {
        EXPECT_EQ(tally(strings({file}), options), (Tally{{"a file\n", 2}, {"another", 1}, {"last", 1}}));
        EXPECT_EQ(tally(AnyInput(strings({file})), options), tally(strings({file}), options));
    }
}

TEST(RecordInput, IsCutByLength) {
    std::mt19937_64 random(6);
    for (const std::size_t bytes : {1, 3, 10, 64, 100, 5000}) {
        const SharedFolder folder;
        Tally expected;
        for (int i = 0; i < 3; ++i) {
            std::string content;
            for (std::uint64_t n = random() % (20'000 / bytes + 1); n != 0; --n) {
                std::string record(bytes, "ab\0\n"[random() % 4]);
                record.back() = static_cast<char>(random() % 256);
                content += record;
                ++expected[record];
            }
            folder.write(std::to_string(i), content);
        }
        for (const Options& options : slices_and_chunks()) {
            ASSERT_EQ(tally(records({folder.path()}, bytes), options), expected)
                << bytes << " bytes, " << name_of(options.input) << ", slice " << options.slice;
        }
    }
}

TEST(RecordInput, MustBeWhole) {
    const SharedFolder folder;
    const std::string file = folder.write("records", "abcd");
    EXPECT_EQ(error_of(records({file}, 3)),
              "cannot read " + file + ": 4 bytes are no whole number of records of 3 bytes");
    EXPECT_TRUE(holds(error_of(records({file}, 0)), "record length: 0 bytes"));
}

TEST(TextFilter, FoldsAndStripsEveryAsciiByte) {
    std::string all(256, '\0');
    std::iota(all.begin(), all.end(), '\0');
    std::string folded = all;
    ASSERT_EQ((TextFilter{true, false}(folded.data(), folded.size())), all.size());
    std::string stripped = all;
    stripped.resize(TextFilter{false, true}(stripped.data(), stripped.size()));
    std::string expected;
    for (int i = 0; i < 256; ++i) {
        const auto place = static_cast<std::size_t>(i);
        EXPECT_EQ(folded[place], i < 128 ? static_cast<char>(std::tolower(i)) : all[place]) << i;
        if (i >= 128 || std::ispunct(i) == 0) {
            expected += all[place];
        }
    }
    EXPECT_EQ(stripped, expected);
}

TEST(TextFilter, LeavesNoEmptyWordsWhereverSlicesEnd) {
    const SharedFolder folder;
    std::string text;
    for (int i = 0; i < 500; ++i) {
        text += "Don't -- \"STOP\", said " + std::string(static_cast<std::size_t>(i % 90), '.') + "\n";
    }
    Text<WhiteSpace> input = words({folder.write("text", text)});
    input.filter = {true, true};
    for (const Options& options : slices_and_chunks()) {
        EXPECT_EQ(tally(input, options), (Tally{{"dont", 500}, {"stop", 500}, {"said", 500}}));
    }
}

}  // namespace
}  // namespace kvasir::test
