// The spill file: what comes back is what went in, or an error; it never has a name.

#include "kvasir/detail/spill_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "kvasir/detail/record.hpp"
#include "kvasir/detail/spill.hpp"
#include "open_files.hpp"
#include "world.hpp"

namespace kvasir::test {
namespace {

using Words = std::vector<std::uint64_t>;

/// Words of `kinds` different values: few compress well, many not at all.
Words random_words(std::size_t length, std::uint64_t kinds, std::mt19937_64& random) {
    Words words(length);
    for (std::uint64_t& word : words) {
        word = (random() % kinds) * 0x9e3779b97f4a7c15ULL;
    }
    return words;
}

TEST(SpillFile, GivesBackItsBlocks) {
    const SharedFolder folder;
    std::mt19937_64 random(7);
    MemoryMeter meter;
    detail::SpillFile file(meter, folder.path(), 1000);
    std::vector<std::pair<detail::SpillBlock, Words>> blocks;
    for (int i = 0; i < 200; ++i) {  // also longer than what is compressed
        const Words words = random_words(1 + random() % 1500, i % 2 == 0 ? 10 : UINT64_MAX, random);
        blocks.emplace_back(file.write(words.data(), words.size()), words);
    }
    bool some_packed = false;
    bool some_plain = false;
    for (const auto& [block, words] : blocks) {
        Words found(words.size());
        file.read(block, found.data());
        EXPECT_EQ(found, words);
        EXPECT_LE(block.bytes, words.size() * 8);
        (block.packed ? some_packed : some_plain) = true;
    }
    EXPECT_EQ(some_packed, detail::SpillFile::compresses());
    EXPECT_TRUE(some_plain);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(SpillFile, NoticesEveryDamagedByte) {
    const SharedFolder folder;
    std::mt19937_64 random(8);
    MemoryMeter meter;
    detail::SpillFile file(meter, folder.path(), 100);
    for (const std::uint64_t kinds : {std::uint64_t{3}, UINT64_MAX}) {
        const Words words = random_words(40, kinds, random);
        const detail::SpillBlock block = file.write(words.data(), words.size());
        Words found(words.size());
        for (std::uint64_t at = 0; at < block.bytes; ++at) {
            ASSERT_EQ(damage_open_files(folder.path(), block.place + at), 1);
            try {
                file.read(block, found.data());
                ADD_FAILURE() << "byte " << at << " of " << block.bytes;
            } catch (const Error& error) {
                EXPECT_NE(std::string(error.what()).find("damaged"), std::string::npos) << error.what();
                EXPECT_NE(std::string(error.what()).find(folder.path()), std::string::npos) << error.what();
            }
            damage_open_files(folder.path(), block.place + at);  // twice is not at all
        }
        file.read(block, found.data());
        EXPECT_EQ(found, words);
    }
}

TEST(SpillFile, HasNoNameWhicheverWayItIsMade) {
    const SharedFolder folder;
    for (const auto& make : {&detail::open_unnamed, &detail::open_and_unlink}) {
        const int file = make(folder.path());
        if (file < 0 && make == &detail::open_unnamed) {
            continue;  // this file system has none
        }
        ASSERT_GE(file, 0);
        EXPECT_EQ(pwrite(file, "x", 1, 0), 1);
        EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
        close(file);
    }
    MemoryMeter meter;
    try {
        const detail::SpillFile file(meter, folder.path() + "/missing", 100);
        ADD_FAILURE() << "made in a folder that is not there";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(folder.path() + "/missing: No such file"), std::string::npos)
            << error.what();
    }
}

TEST(SpilledPartitions, KeepRecordsWholeWhateverTheirLength) {
    using R = detail::RecordTraits<std::string_view, std::string_view>;
    const SharedFolder folder;
    std::mt19937_64 random(9);
    MemoryMeter meter;
    meter.set_budget(1U << 20U);
    detail::SpilledPartitions spilled(meter, folder.path(), 2);
    std::vector<std::string> expected;
    for (int round = 0; round < 20; ++round) {
        detail::RecordPages pages;
        for (int i = 0; i < 50; ++i) {
            const std::string key(random() % (i == 0 ? 20'000 : 200), 'k');
            const auto code = detail::KeyTraits<std::string_view>::encode(std::string_view(key));
            const std::string value = std::to_string(random());
            R::write(code, value, pages.extend(meter, R::words_of(code, value)));
            expected.push_back(key + value);
        }
        spilled.write(1, pages, [](const std::uint64_t* record) { return R::words(record); });
    }
    std::vector<std::string> found;
    spilled.for_each_block(1, [&](const std::uint64_t* at, std::size_t words) {
        for (const std::uint64_t* end = at + words; at != end; at += R::words(at)) {
            found.push_back(std::string(R::key(at)) + std::string(R::value(at)));
        }
    });
    EXPECT_EQ(found, expected);
    EXPECT_TRUE(spilled.empty(0));
    EXPECT_EQ(spilled.spilled().file_bytes < spilled.spilled().record_bytes, detail::SpillFile::compresses());
}

}  // namespace
}  // namespace kvasir::test
