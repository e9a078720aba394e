// Blocks: what fits, what is combined, and what is left after byte strings have grown.

#include "kvasir/detail/block.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "kvasir/detail/growing_block.hpp"

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

/// Returns the words of a record. Of many keys the hashes are equal.
template <class Value>
std::vector<std::uint64_t> record(const std::string& text, const Value& value) {
    using R = RecordTraits<std::string_view, Value>;
    KeyCode code = key(text);
    code.hash %= 50;
    std::vector<std::uint64_t> words(R::words_of(code, value));
    R::write(code, value, words.data());
    return words;
}

/// Combines random records in a block that begins with 16 words, and returns what it gives away.
template <class Value, class Draw, class Combine>
std::map<std::string, std::string> grown(Draw&& draw, Combine combine, MemoryMeter& meter) {
    using R = RecordTraits<std::string_view, Value>;
    GrowingBlock<std::string_view, Value> block(meter, 16);
    std::mt19937_64 random(3);
    for (int i = 0; i < 5'000; ++i) {
        // Keys of one, two and more words in a record.
        const std::string text(random() % 40, static_cast<char>('a' + random() % 26));
        const auto words = record<Value>(text, draw(i));
        const std::uint64_t before = block.block().records();
        const bool combined = block.combine(words.data(), combine);
        EXPECT_EQ(block.block().records(), combined ? before : before + 1);
    }
    RecordPages pages;
    block.give_to(pages);
    std::map<std::string, std::string> found;
    pages.for_each([&](const std::uint64_t* at) {
        std::string value;
        if constexpr (std::is_same_v<Value, std::string_view>) {
            value = R::value(at);
        } else {
            value = std::to_string(R::value(at));
        }
        EXPECT_TRUE(found.emplace(R::key(at), value).second);
        return R::words(at);
    });
    return found;
}

TEST(GrowingBlock, CombinesStoredRecords) {
    MemoryMeter meter;
    std::map<std::string, std::uint64_t> sums;
    std::map<std::string, std::string> joined;
    std::mt19937_64 random(3);
    for (int i = 0; i < 5'000; ++i) {
        const std::string text(random() % 40, static_cast<char>('a' + random() % 26));
        sums[text] += static_cast<std::uint64_t>(i);
        std::string& all = joined[text];
        all = std::to_string(i % 7) + all.substr(0, 60);
    }
    std::map<std::string, std::string> expected;
    for (const auto& [text, sum] : sums) {
        expected.emplace(text, std::to_string(sum));
    }
    EXPECT_EQ(grown<std::uint64_t>([](int i) { return static_cast<std::uint64_t>(i); }, kAdd, meter),
              expected);
    const auto join = [](std::string_view a, std::string_view b) {
        return std::string(b) + std::string(a.substr(0, 60));
    };
    std::string digit;
    EXPECT_EQ(grown<std::string_view>([&](int i) { return std::string_view(digit = std::to_string(i % 7)); },
                                      join, meter),
              joined);
    EXPECT_EQ(meter.current(), 0U);
}

TEST(Memory, IsResizedAndIsAsItWasWhereTheBudgetEnds) {
    MemoryMeter meter;
    meter.set_budget(std::size_t{16} << 20U);
    WordBuffer buffer(meter, 100);
    for (std::size_t i = 0; i < 100; ++i) {
        buffer.data()[i] = i;
    }
    buffer.resize(std::size_t{1} << 20U);
    EXPECT_THROW(buffer.resize(std::size_t{1} << 22U), OverBudget);
    EXPECT_EQ(buffer.words(), std::size_t{1} << 20U);
    EXPECT_EQ(meter.current(), std::size_t{8} << 20U);
    buffer.data()[buffer.words() - 1] = 1;
    buffer.resize(100);
    EXPECT_EQ(meter.current(), 800U);
    for (std::size_t i = 0; i < 100; ++i) {
        EXPECT_EQ(buffer.data()[i], i);
    }
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
