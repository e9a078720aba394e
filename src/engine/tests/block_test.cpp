// Blocks: what fits, what is combined, and what is left after byte strings have grown.

#include "kvasir/detail/block.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace kvasir::detail {
namespace {

template <class Value>
std::map<std::string, Value> contents(const Block<std::string_view, Value>& block) {
    using R = RecordTraits<std::string_view, Value>;
    std::map<std::string, Value> found;
    for (std::size_t at = 0; at < block.used(); at += R::words(block.data() + at)) {
        EXPECT_TRUE(found.emplace(R::key(block.data() + at), R::value(block.data() + at)).second);
    }
    return found;
}

KeyCode key(const std::string& text) { return KeyTraits<std::string_view>::encode(std::string_view(text)); }

const auto kAdd = [](std::uint64_t a, std::uint64_t b) { return a + b; };

TEST(Block, TakesExactlyWhatFits) {
    MemoryMeter meter;
    std::vector<std::uint64_t> memory(7);  // two records of 3 words, and one word left
    Block<std::string_view, std::uint64_t> block(meter);
    block.attach(memory.data(), memory.size());
    EXPECT_EQ(block.append(key("a"), 1), Put::appended);
    EXPECT_EQ(block.append(key("b"), 1), Put::appended);
    EXPECT_EQ(block.append(key("c"), 1), Put::full);
    EXPECT_EQ(block.records(), 2U);
    EXPECT_EQ(block.used(), 6U);
}

TEST(Block, CombinesEvenWhenFull) {
    MemoryMeter meter;
    std::vector<std::uint64_t> memory(6);
    Block<std::string_view, std::uint64_t> block(meter);
    block.attach(memory.data(), memory.size());
    EXPECT_EQ(block.combine(key("a"), 1, kAdd), Put::appended);
    EXPECT_EQ(block.combine(key("b"), 2, kAdd), Put::appended);
    EXPECT_EQ(block.combine(key("c"), 1, kAdd), Put::full);
    EXPECT_EQ(block.combine(key("a"), 5, kAdd), Put::combined);
    EXPECT_EQ(contents(block), (std::map<std::string, std::uint64_t>{{"a", 6}, {"b", 2}}));
    block.clear();
    EXPECT_EQ(block.combine(key("a"), 1, kAdd), Put::appended);
}

TEST(Block, CombinesManyKeys) {
    MemoryMeter meter;
    std::vector<std::uint64_t> memory(100'000);
    Block<std::string_view, std::uint64_t> block(meter);
    block.attach(memory.data(), memory.size());
    std::map<std::string, std::uint64_t> expected;
    std::mt19937_64 random(1);
    for (int i = 0; i < 50'000; ++i) {
        const std::string word(random() % 30, static_cast<char>('a' + random() % 26));
        ++expected[word];
        EXPECT_NE(block.combine(key(word), 1, kAdd), Put::full);
    }
    EXPECT_EQ(contents(block), expected);
    EXPECT_EQ(block.records(), expected.size());
}

TEST(Block, TellsApartKeysOfEqualHash) {
    MemoryMeter meter;
    std::vector<std::uint64_t> memory(1000);
    Block<std::string_view, std::uint64_t> block(meter);
    block.attach(memory.data(), memory.size());
    std::map<std::string, std::uint64_t> expected;
    for (std::uint64_t i = 0; i < 100; ++i) {
        const std::string word = "collision" + std::to_string(i % 20);
        KeyCode code = key(word);
        code.hash = 42;
        block.combine(code, i, kAdd);
        expected[word] += i;
    }
    EXPECT_EQ(contents(block), expected);
}

TEST(Block, MovesByteStringsThatGrowAndReusesTheirRoom) {
    MemoryMeter meter;
    std::vector<std::uint64_t> memory(16);
    Block<std::string_view, std::string_view> block(meter);
    block.attach(memory.data(), memory.size());
    const auto join = [](std::string_view a, std::string_view b) { return std::string(a) + std::string(b); };
    std::string expected;
    // 4 + 5 words fit side by side once; after that only by forgetting the shorter ones.
    for (const char* piece : {"12345678", "abcdefgh", "ABCDEFGH"}) {
        expected += piece;
        EXPECT_NE(block.combine(key("k"), piece, join), Put::full);
    }
    block.squeeze();
    ASSERT_EQ(contents(block).size(), 1U);
    EXPECT_EQ(contents(block).at("k"), expected);
    EXPECT_EQ(block.records(), 1U);
}

TEST(Block, IsUnchangedWhenACombinedByteStringDoesNotFit) {
    MemoryMeter meter;
    std::vector<std::uint64_t> memory(6);
    Block<std::string_view, std::string_view> block(meter);
    block.attach(memory.data(), memory.size());
    const auto join = [](std::string_view a, std::string_view b) { return std::string(a) + std::string(b); };
    EXPECT_EQ(block.combine(key("k"), "12345678", join), Put::appended);
    EXPECT_EQ(block.combine(key("k"), "abcdefgh", join), Put::full);
    EXPECT_EQ(contents(block).at("k"), "12345678");
}

TEST(Memory, IsCountedAndGivenBack) {
    MemoryMeter meter;
    {
        const WordBuffer one(meter, 100);
        WordBuffer two(meter, 50);
        EXPECT_EQ(meter.current(), 1200U);
        two = WordBuffer();
        EXPECT_EQ(meter.current(), 800U);
        MeteredVector<std::uint64_t> values{MeteredAllocator<std::uint64_t>(meter)};
        values.resize(10);
        EXPECT_EQ(meter.current(), 880U);
    }
    EXPECT_EQ(meter.current(), 0U);
    EXPECT_EQ(meter.peak(), 1200U);
}

}  // namespace
}  // namespace kvasir::detail
