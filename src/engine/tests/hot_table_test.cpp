// Table of frequent keys: nothing is lost or counted twice, whatever comes and however little room there is.

#include "kvasir/detail/hot_table.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "kvasir/detail/radix_store.hpp"

namespace kvasir::detail {
namespace {

std::string text_of(const KeyCode& code) {
    const std::uint64_t zone[2] = {code.first, code.second};
    return std::string(KeyTraits<std::string_view>::decode(zone));
}

/// Words of 0 to 15 bytes, of `distinct` kinds, the first ones more frequent.
class Words {
  public:
    explicit Words(std::uint64_t distinct) : distinct_(distinct) {}
    std::string next() {
        const double share = std::uniform_real_distribution<double>(0, 1)(random_);
        const auto number = static_cast<std::uint64_t>(share * share * static_cast<double>(distinct_));
        const std::string digits = std::to_string(number);
        return number == 0 ? "" : digits + std::string(number % (16 - digits.size()), 'x');
    }

  private:
    std::uint64_t distinct_;
    std::mt19937_64 random_{7};
};

struct Sums {
    std::map<std::string, std::uint64_t> expected;
    std::map<std::string, std::uint64_t> found;
    std::uint64_t combined = 0;
    std::uint64_t passed = 0;
};

/// Puts records into a table of `most` bytes, and empties it twice.
Sums sum(std::uint64_t distinct, std::uint64_t records, std::size_t most, MemoryMeter& meter) {
    Sums sums;
    std::plus<> plus;
    HotTable<std::string_view, std::uint64_t> table(meter, most);
    Words words(distinct);
    const auto pass = [&](const KeyCode& key, std::uint64_t value) {
        EXPECT_EQ(key.hash, KeyTraits<std::string_view>::encode(std::string_view(text_of(key))).hash);
        sums.found[text_of(key)] += value;
        ++sums.passed;
    };
    for (std::uint64_t i = 0; i < records; ++i) {
        const std::string word = words.next();
        sums.expected[word] += i;
        table.add(KeyTraits<std::string_view>::encode(std::string_view(word)), i, plus, pass);
        if (i == records / 3 || i + 1 == records) {
            table.settle(plus, pass);
            table.clear(pass);
            EXPECT_FALSE(table.full());
        }
    }
    sums.combined = table.combined();
    EXPECT_EQ(sums.combined + sums.passed, records);
    return sums;
}

TEST(HotTable, LosesNothingWhateverFits) {
    for (const std::uint64_t distinct : {1U, 5U, 600U, 20'000U, 200'000U}) {
        for (const std::size_t most : {32U << 10U, 1U << 20U, 64U << 20U}) {
            MemoryMeter meter;
            const Sums sums = sum(distinct, 300'000, most, meter);
            EXPECT_EQ(sums.found, sums.expected) << distinct << " words, " << most << " bytes";
            EXPECT_LE(meter.peak(), most + most / 2);  // the old one and the new one, while it grows
            EXPECT_EQ(meter.current(), 0U);
        }
    }
}

TEST(HotTable, PassesEachKeyOnceWhereAllFit) {
    MemoryMeter meter;
    const Sums sums = sum(5000, 300'000, 4U << 20U, meter);
    EXPECT_LE(sums.passed, 2 * sums.expected.size());  // it was emptied twice
}

/// So that the store that gets them works on one partition at a time. A few records lie in another one's
/// slots.
TEST(HotTable, PassesOnePartitionAfterAnother) {
    using Store = RadixStore<std::string_view, std::uint64_t, std::plus<>>;
    MemoryMeter meter;
    std::plus<> plus;
    HotTable<std::string_view, std::uint64_t> table(meter, 64U << 20U);
    std::vector<std::size_t> partitions;
    const auto pass = [&](const KeyCode& key, std::uint64_t /*value*/) {
        partitions.push_back(Store::partition_of(key.hash));
    };
    for (int i = 0; i < 100'000; ++i) {
        table.add(KeyTraits<std::string_view>::encode(std::string_view(std::to_string(i))), 1, plus, pass);
    }
    table.settle(plus, pass);
    ASSERT_TRUE(partitions.empty());
    table.clear(pass);
    ASSERT_EQ(partitions.size(), 100'000U);
    std::size_t changes = 0;
    for (std::size_t i = 1; i < partitions.size(); ++i) {
        changes += static_cast<std::size_t>(partitions[i] != partitions[i - 1]);
    }
    EXPECT_LT(changes, 4 * Store::kPartitions);
}

/// Takes `passages` passages of 8,000 words of their own, each `times` times, cleared where that is due;
/// returns the bytes that the table took at most, and checks the counts.
std::size_t bytes_for_passages(std::uint64_t passages, std::uint64_t times) {
    MemoryMeter meter;
    HotTable<std::string_view, std::uint64_t> table(meter, 64U << 20U);
    std::plus<> plus;
    std::map<std::string, std::uint64_t> found;
    const auto pass = [&](const KeyCode& key, std::uint64_t value) { found[text_of(key)] += value; };
    for (std::uint64_t i = 0; i < passages * times * 8000; ++i) {
        const std::uint64_t word = i / (times * 8000) * 8000 + i % 8000;
        table.add(KeyTraits<std::string_view>::encode(std::string_view(std::to_string(word))), 1, plus, pass);
        if (table.worn()) {
            table.settle(plus, pass);
            table.clear(pass);
            EXPECT_FALSE(table.worn());
        }
    }
    table.settle(plus, pass);
    table.clear(pass);
    EXPECT_EQ(found.size(), passages * 8000);
    for (const auto& [word, count] : found) {
        EXPECT_EQ(count, times) << word;
    }
    return meter.peak();
}

TEST(HotTable, StaysInTheCacheWhereWordsComeAgainSoon) {
    const std::size_t soon = bytes_for_passages(50, 10);
    const std::size_t never = bytes_for_passages(50, 1);
    EXPECT_LE(soon, std::size_t{2} << 20U);
    EXPECT_GE(never, std::size_t{4} << 20U);
}

TEST(HotTable, GivesItsMemoryBack) {
    MemoryMeter meter;
    std::plus<> plus;
    HotTable<std::string_view, std::uint64_t> table(meter, 64U << 20U);
    Words words(100'000);
    std::uint64_t passed = 0;
    for (int round = 0; round < 2; ++round) {
        for (std::uint64_t i = 0; i < 100'000; ++i) {
            const std::string word = words.next();
            table.add(KeyTraits<std::string_view>::encode(std::string_view(word)), 1, plus,
                      [&](const KeyCode& /*key*/, std::uint64_t value) { passed += value; });
        }
        const auto pass = [&](const KeyCode& /*key*/, std::uint64_t value) { passed += value; };
        table.settle(plus, pass);
        table.clear(pass);
        EXPECT_GT(meter.current(), 0U);
        table.release();
        EXPECT_EQ(meter.current(), 0U);
    }
    EXPECT_EQ(passed, 200'000U);
}

TEST(HotTable, DoesWithoutMemoryThatTheBudgetHasNot) {
    for (const std::size_t budget : {std::size_t{1000}, std::size_t{100} << 10U}) {
        MemoryMeter meter;
        meter.set_budget(budget);
        const Sums sums = sum(20'000, 100'000, 64U << 20U, meter);
        EXPECT_EQ(sums.found, sums.expected);
        EXPECT_LE(meter.peak(), budget);
    }
}

/// Integers, zero among them, and values shorter than a word.
TEST(HotTable, TakesKeysOfFixedSize) {
    MemoryMeter meter;
    HotTable<std::uint32_t, std::int16_t> table(meter, 1U << 20U);
    std::map<std::uint32_t, int> found;
    const auto pass = [&](const KeyCode& key, std::int16_t value) {
        found[static_cast<std::uint32_t>(key.first)] += value;
    };
    const auto least = [](std::int16_t a, std::int16_t b) { return a < b ? a : b; };
    for (std::uint32_t i = 0; i < 3000; ++i) {
        table.add(KeyTraits<std::uint32_t>::encode(i % 1000), static_cast<std::int16_t>(i / 1000 - 3), least,
                  pass);
    }
    table.settle(least, pass);
    table.clear(pass);
    ASSERT_EQ(found.size(), 1000U);
    for (const auto& [key, value] : found) {
        EXPECT_EQ(value, -3) << key;
    }
}

struct Pair {
    std::uint64_t first;
    std::uint64_t second;
};

/// Sums of records of keys of fixed size, by the sum of each one's words.
template <class Key>
std::map<std::uint64_t, std::uint64_t> sums_of(const std::vector<Key>& keys, int rounds) {
    MemoryMeter meter;
    HotTable<Key, std::uint64_t> table(meter, 1U << 20U);
    std::map<std::uint64_t, std::uint64_t> found;
    std::plus<> plus;
    const auto pass = [&](const KeyCode& key, std::uint64_t value) {
        EXPECT_EQ(key.hash, hash_words(key.first, key.second));
        found[key.first + key.second] += value;
    };
    for (int i = 0; i < rounds; ++i) {
        for (const Key& key : keys) {
            table.add(KeyTraits<Key>::encode(key), 1, plus, pass);
        }
    }
    table.settle(plus, pass);
    table.clear(pass);
    return found;
}

/// The word that is zero in a slot, which means free there, is a number like others.
TEST(HotTable, LosesNoNumber) {
    constexpr std::uint64_t free = 0xd1b54a32d192edffULL;
    const std::map<std::uint64_t, std::uint64_t> expected{{0, 5}, {1, 5}, {free, 5}, {~std::uint64_t{0}, 5}};
    EXPECT_EQ(sums_of<std::uint64_t>({0, 1, free, ~std::uint64_t{0}}, 5), expected);
    EXPECT_EQ(sums_of<Pair>({{0, 0}, {0, 1}, {free, 0}, {~std::uint64_t{0}, 0}}, 5), expected);
}

}  // namespace
}  // namespace kvasir::detail
