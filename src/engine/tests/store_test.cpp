// Containers of received records: nothing lost, memory follows the distinct keys, groups are complete.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kvasir/detail/grouper.hpp"
#include "kvasir/detail/radix_sort.hpp"
#include "kvasir/detail/radix_store.hpp"

namespace kvasir::detail {
namespace {

using R = RecordTraits<std::string_view, std::uint64_t>;
const auto add = [](std::uint64_t a, std::uint64_t b) { return a + b; };
using Add = decltype(add);

std::vector<std::uint64_t> record(const std::string& key, std::uint64_t value) {
    const KeyCode code = KeyTraits<std::string_view>::encode(std::string_view(key));
    std::vector<std::uint64_t> words(R::words_of(code, value));
    R::write(code, value, words.data());
    return words;
}

TEST(RadixStore, CombiningKeepsSumsAndBoundsMemory) {
    MemoryMeter meter;
    RadixStore<std::string_view, std::uint64_t, Add> store(meter, add, true);
    constexpr std::uint64_t records = 2'000'000;
    constexpr std::uint64_t keys = 1000;
    for (std::uint64_t i = 0; i < records; ++i) {
        const auto words = record("key" + std::to_string(i % keys), 1);
        store.ingest(words.data(), words.size());
    }
    EXPECT_LT(meter.peak(), 32U << 20U) << "uncombined they would take 48 MB and more";
    std::map<std::string, std::uint64_t> sums;
    for (std::size_t part = 0; part < store.kPartitions; ++part) {
        store.combine_partition(part);
        store.partition(part).for_each([&](const std::uint64_t* at) {
            EXPECT_TRUE(sums.emplace(R::key(at), R::value(at)).second);
            return R::words(at);
        });
    }
    EXPECT_EQ(sums.size(), keys);
    EXPECT_EQ(sums["key7"], records / keys);
    EXPECT_EQ(store.combined(), records - keys);
}

/// A table that outgrows the cache while it combines, and one that did so before.
TEST(GrowingBlock, CombinesAsManyKeysAsThereAre) {
    constexpr std::uint64_t keys = 60'000;
    MemoryMeter meter;
    GrowingBlock<std::string_view, std::uint64_t> table(meter, 64);
    std::mt19937_64 random(3);
    std::map<std::string, std::uint64_t> expected;
    std::uint64_t combined = 0;
    std::uint64_t records = 0;
    for (const std::uint64_t more : {10U, 50'000U, 100'000U, 0U, 7U, 100'000U}) {
        RecordPages pages;
        for (std::uint64_t i = 0; i < more; ++i) {
            const std::uint64_t number = random() % keys;
            const std::string key(1 + number % 20, static_cast<char>('a' + number % 20));
            const std::string name = key + std::to_string(number);
            expected[name] += i;
            const auto words = record(name, i);
            copy_words(pages.extend(meter, words.size()), words.data(), words.size());
        }
        combined += table.combine_all(pages, add);
        records += more;
        EXPECT_EQ(combined, records - expected.size());
    }
    EXPECT_GT(table.block().bytes(), 3U << 20U);
    RecordPages left;
    table.give_to(left);
    std::map<std::string, std::uint64_t> found;
    left.for_each([&](const std::uint64_t* at) {
        EXPECT_TRUE(found.emplace(R::key(at), R::value(at)).second);
        return R::words(at);
    });
    EXPECT_EQ(found, expected);
}

TEST(Grouper, CollectsAllValuesOfEachKey) {
    MemoryMeter meter;
    RecordPages pages;
    std::map<std::string, std::vector<std::uint64_t>> expected;
    std::mt19937_64 random(1);
    for (std::uint64_t i = 0; i < 20'000; ++i) {
        const std::string key(random() % 25, static_cast<char>('a' + random() % 20));
        expected[key].push_back(i);
        auto words = record(key, i);
        words[0] %= 7;  // keys that differ must be told apart even where their hashes do not
        copy_words(pages.extend(meter, words.size()), words.data(), words.size());
    }
    Grouper<std::string_view, std::uint64_t> grouper(meter);
    for (int twice = 0; twice < 2; ++twice) {  // the second time with memory of the first
        grouper.group(pages);
        std::map<std::string, std::vector<std::uint64_t>> found;
        grouper.for_each([&](const std::uint64_t* at, std::span<const std::uint64_t> values) {
            EXPECT_TRUE(
                found.emplace(R::key(at), std::vector<std::uint64_t>(values.begin(), values.end())).second);
        });
        EXPECT_EQ(found, expected);
    }
}

using Lists = std::map<std::string, std::vector<std::uint64_t>>;

/// Returns the lists and the records of a store.
std::pair<Lists, Lists> content_of(RadixStore<std::string_view, std::uint64_t, Add>& store) {
    std::pair<Lists, Lists> found;
    store.for_each_list([&](const std::uint64_t* begin, const Values<std::uint64_t>& values) {
        auto& list = found.first[std::string(R::key(begin))];
        EXPECT_TRUE(list.empty());
        values.for_each([&](std::uint64_t value) { list.push_back(value); });
        EXPECT_EQ(list.size(), values.size());
    });
    for (std::size_t part = 0; part < store.kPartitions; ++part) {
        store.partition(part).for_each([&](const std::uint64_t* at) {
            found.second[std::string(R::key(at))].push_back(R::value(at));
            return R::words(at);
        });
    }
    return found;
}

/// Returns what a store that groups on arrival has of `records` records of `keys` keys each, lists and rest.
std::pair<Lists, Lists> grouped_on_arrival(std::uint64_t records, const std::vector<std::string>& keys,
                                           MemoryMeter& meter) {
    RadixStore<std::string_view, std::uint64_t, Add> store(meter, add, false);
    store.group_on_arrival();
    std::uint64_t listed = 0;
    for (std::uint64_t i = 0; i < records; ++i) {
        for (const std::string& key : keys) {
            const KeyCode code = KeyTraits<std::string_view>::encode(std::string_view(key));
            if (store.groups_on_arrival() && code.tail == nullptr &&
                store.list(
                    code, i, listed,
                    [](std::uint64_t /*hash*/) { return ValueLists<std::string_view, std::uint64_t>::kHere; },
                    [](auto...) { FAIL() << "all keys are this rank's"; })) {
                ++listed;
                continue;
            }
            const auto words = record(key, i);
            store.ingest(words.data(), words.size());
        }
    }
    return content_of(store);
}

TEST(RadixStore, ListsTheValuesOfShortKeysWhileTheyArrive) {
    const std::vector<std::string> all = {"",
                                          "a",
                                          "b",
                                          "seven77",
                                          "eight888",
                                          std::string(15, 'x'),
                                          std::string(1, '\0'),
                                          std::string(16, 'x')};
    for (const std::uint64_t records : {1U, 6U, 7U, 1000U, 300'000U}) {
        MemoryMeter meter;
        const auto [lists, rest] = grouped_on_arrival(records, all, meter);
        std::vector<std::uint64_t> values(records);
        std::iota(values.begin(), values.end(), 0);
        Lists expected;
        for (const std::string& key : all) {
            expected[key] = values;
        }
        EXPECT_EQ(rest, (Lists{{std::string(16, 'x'), values}})) << "long keys are not listed";
        expected.erase(std::string(16, 'x'));
        EXPECT_EQ(lists, expected);
        if (records == 300'000) {
            EXPECT_LT(meter.peak(), (7 * 12 + 40) * records) << "as records, seven keys would take 24 and 32";
        }
    }
}

TEST(RadixStore, GivesListsUpWhereKeysHardlyComeAgain) {
    std::vector<std::string> many;
    for (int i = 0; i < 40'000; ++i) {
        many.push_back("k" + std::to_string(i));
    }
    MemoryMeter meter;
    const auto [lists, rest] = grouped_on_arrival(3, many, meter);
    EXPECT_TRUE(lists.empty());
    EXPECT_EQ(rest.size(), many.size());
    for (const auto& [key, values] : rest) {
        EXPECT_EQ(values.size(), 3U) << key;
    }
}

TEST(RadixStore, KeepsEveryKeyEitherInListsOrOutside) {
    // A few keys come so often that the lists are kept when they are full of others.
    std::vector<std::string> keys;
    for (int i = 0; i < 20'000; ++i) {
        keys.push_back("rare" + std::to_string(i));
        keys.insert(keys.end(), 10, "often" + std::to_string(i % 3));
    }
    MemoryMeter meter;
    const auto [lists, rest] = grouped_on_arrival(2, keys, meter);
    EXPECT_GT(lists.size(), 10'000U);
    EXPECT_GT(rest.size(), 1000U);
    EXPECT_EQ(lists.size() + rest.size(), 20'003U);
    for (const Lists& some : {lists, rest}) {
        for (const auto& [key, values] : some) {
            EXPECT_GE(values.size(), 2U) << key;
        }
    }
    EXPECT_TRUE(lists.contains("often0") && lists.at("often0").size() > 100'000);
}

template <class Value>
Value value_of(std::uint64_t number) {
    if constexpr (std::is_integral_v<Value>) {
        return static_cast<Value>(number);
    } else {
        return {number, ~number};
    }
}

/// What a rank ships of `values` values each of `keys` keys of another one, and what is in it.
template <class Value>
std::pair<std::vector<std::uint64_t>, std::map<std::string, std::vector<Value>>> shipped(
    ValueLists<std::string_view, Value>& lists, const std::vector<std::string>& keys, std::uint64_t values) {
    std::vector<std::uint64_t> words;
    std::uint64_t number = 0;
    const auto route = [](std::uint64_t /*hash*/) { return 1; };
    const auto ship = [&](int rank, const std::uint64_t* piece, std::size_t length, std::size_t in_it) {
        EXPECT_EQ(rank, 1);
        EXPECT_LE(length, lists.kMostSentWords);
        words.insert(words.end(), piece, piece + length);
        number += in_it;
    };
    std::map<std::string, std::vector<Value>> expected;
    for (std::uint64_t i = 0; i < values; ++i) {
        for (const std::string& key : keys) {
            EXPECT_TRUE(lists.add(KeyTraits<std::string_view>::encode(std::string_view(key)),
                                  value_of<Value>(i), route, ship));
            expected[key].push_back(value_of<Value>(i));
        }
    }
    lists.flush(ship);
    lists.flush([](auto...) { FAIL() << "what has left leaves again"; });
    lists.for_each([](auto...) { FAIL() << "another rank's keys are among this one's"; });
    EXPECT_EQ(number, values * keys.size());
    return {words, expected};
}

/// Pieces of a key grow with what has left of it, but not where they would take more than the cache together.
TEST(ValueLists, ShipsMoreAtATimeOfKeysThatComeOften) {
    using Some = ValueLists<std::string_view, std::uint64_t>;
    struct Case {
        std::size_t keys;
        std::size_t values;  ///< of each
        std::size_t longest;
    };
    for (const Case& some : {Case{3, 200, Some::kSentWords},
                             {3, 12'000, Some::kMostSentWords},
                             {200, 12'000, 256},
                             {5000, 1000, Some::kSentWords}}) {
        MemoryMeter meter;
        Some lists(meter);
        std::size_t longest = 0;
        const auto route = [](std::uint64_t /*hash*/) { return 1; };
        const auto ship = [&](int /*rank*/, const std::uint64_t* /*piece*/, std::size_t words,
                              std::size_t /*values*/) { longest = std::max(longest, words); };
        for (std::size_t i = 0; i < some.values; ++i) {
            for (std::size_t key = 0; key < some.keys; ++key) {
                const std::string text = std::to_string(key);
                lists.add(KeyTraits<std::string_view>::encode(std::string_view(text)), 1, route, ship);
            }
        }
        EXPECT_EQ(longest, some.longest) << some.keys << " keys";
        EXPECT_LE(meter.peak(), some.values * some.keys * sizeof(std::uint64_t) / 8 + (5U << 20U));
    }
}

WordBuffer message(MemoryMeter& meter, const std::vector<std::uint64_t>& words) {
    WordBuffer buffer(meter, words.size());
    copy_words(buffer.data(), words.data(), words.size());
    return buffer;
}

template <class Value>
void expect_that_shipped_values_arrive() {
    const std::vector<std::string> keys = {"", "a", "seven77", "eight888", std::string(15, 'x')};
    MemoryMeter meter;
    ValueLists<std::string_view, Value> lists(meter);
    const auto no_key = [](auto...) { FAIL() << "a key is refused"; };
    for (const std::uint64_t values : {1U, 29U, 30U, 31U, 60U, 61U, 1000U, 20'000U}) {
        auto [words, expected] = shipped(lists, keys, values);
        ValueLists<std::string_view, Value> there(meter);
        const auto own = KeyTraits<std::string_view>::encode(std::string_view("a"));
        const auto here = [](std::uint64_t /*hash*/) { return ValueLists<std::string_view, Value>::kHere; };
        for (int twice = 0; twice < 2; ++twice) {  // with values of this rank's before, between and after
            EXPECT_TRUE(there.add(own, value_of<Value>(99), here, no_key));
            EXPECT_EQ(there.take(message(meter, words), no_key), values * keys.size());
        }
        EXPECT_TRUE(there.add(own, value_of<Value>(99), here, no_key));
        for (auto& [key, all] : expected) {
            all.insert(all.end(), all.begin(), all.end());
            all.insert(all.end(), key == "a" ? 3 : 0, value_of<Value>(99));
            std::sort(all.begin(), all.end());
        }
        std::map<std::string, std::vector<Value>> found;
        there.for_each([&](const std::uint64_t* begin, const Values<Value>& list) {
            auto& all = found[std::string(R::key(begin))];
            EXPECT_TRUE(all.empty());
            list.for_each([&](const Value& value) { all.push_back(value); });
            EXPECT_EQ(list.size(), all.size());
            std::sort(all.begin(), all.end());
        });
        EXPECT_EQ(found, expected) << values;
    }
    const std::uint64_t peak = meter.peak();
    (void)shipped(lists, keys, 20'000);
    EXPECT_EQ(meter.peak(), peak) << "the memory of values that have left is used again";
}

TEST(ValueLists, TakeWhatOtherRanksShip) {
    expect_that_shipped_values_arrive<std::uint64_t>();
    expect_that_shipped_values_arrive<std::uint16_t>();
    expect_that_shipped_values_arrive<std::array<std::uint64_t, 2>>();
}

TEST(ValueLists, GrowWhileTheyShip) {
    using Ones = ValueLists<std::string_view, std::uint64_t>;
    MemoryMeter meter;
    Ones lists(meter);
    std::uint64_t shipped_values = 0;
    int own = 0;
    int most_own = 4000;
    const auto key = [](int number) {
        static std::string text;
        text = "k" + std::to_string(number);
        return KeyTraits<std::string_view>::encode(std::string_view(text));
    };
    const auto here = [](std::uint64_t /*hash*/) { return Ones::kHere; };
    const auto no_ship = [](auto...) { FAIL() << "a value of this rank leaves"; };
    // Whoever ships takes in what has arrived: keys of this rank.
    const auto ship = [&](int /*rank*/, const std::uint64_t* piece, std::size_t words, std::size_t values) {
        const std::vector<std::uint64_t> copy(piece, piece + words);
        for (int i = 0; i < 700 && own < most_own; ++i) {
            EXPECT_TRUE(lists.add(key(1'000'000 + own++), std::uint64_t{1}, here, no_ship));
        }
        for (std::size_t i = 0; i < values; ++i) {
            EXPECT_EQ(copy[4 + i], 7U);
        }
        shipped_values += values;
    };
    const auto elsewhere = [](std::uint64_t /*hash*/) { return 1; };
    for (int i = 0; i < 100'000; ++i) {
        EXPECT_TRUE(lists.add(key(i % 300), std::uint64_t{7}, elsewhere, ship));
    }
    for (int i = 300; i < 3000; ++i) {
        EXPECT_TRUE(lists.add(key(i), std::uint64_t{7}, elsewhere, ship));
    }
    most_own = 9000;
    lists.flush(ship);
    EXPECT_EQ(shipped_values, 102'700U);
    lists.flush([](auto...) { FAIL() << "all have left"; });
}

TEST(RadixStore, TakesListsIntoItsOwnOrAsRecords) {
    MemoryMeter meter;
    ValueLists<std::string_view, std::uint64_t> sent(meter);
    const auto [words, expected] = shipped<std::uint64_t>(sent, {"", "a", "eight888"}, 1000);
    for (const bool grouping : {true, false}) {
        RadixStore<std::string_view, std::uint64_t, Add> store(meter, add, false);
        if (grouping) {
            store.group_on_arrival();
        }
        EXPECT_EQ(store.take_lists(message(meter, words)), 3000U);
        const auto more = record("a", std::uint64_t{1000});
        store.ingest(more.data(), more.size());
        EXPECT_EQ(store.take_lists(message(meter, words)), 3000U);
        auto [lists, rest] = content_of(store);
        EXPECT_EQ((grouping ? rest : lists), Lists());
        Lists& all = grouping ? lists : rest;
        EXPECT_EQ(all.size(), 3U);
        EXPECT_EQ(all.at("eight888").size(), 2000U);
        std::vector<std::uint64_t> of_a = expected.at("a");
        of_a.insert(of_a.end(), of_a.begin(), of_a.end());
        of_a.push_back(1000);
        std::sort(of_a.begin(), of_a.end());
        std::sort(all.at("a").begin(), all.at("a").end());
        EXPECT_EQ(all.at("a"), of_a);
    }
}

TEST(RadixStore, MakesRecordsOfListsThatCameForKeysItHasNoRoomFor) {
    MemoryMeter meter;
    RadixStore<std::string_view, std::uint64_t, Add> store(meter, add, false);
    store.group_on_arrival();
    const std::size_t before = meter.current();
    for (int i = 0; i < 20'000; ++i) {
        const auto words = record("own" + std::to_string(i), std::uint64_t{1});
        store.ingest(words.data(), words.size());
    }
    ValueLists<std::string_view, std::uint64_t> sent(meter);
    const auto [words, expected] = shipped<std::uint64_t>(sent, {"new", "other"}, 1000);
    const std::size_t with_own = meter.current();
    EXPECT_EQ(store.take_lists(message(meter, words)), 2000U);
    EXPECT_LT(meter.current() - with_own, 2000 * 8 * sizeof(std::uint64_t)) << "the message is not kept";
    const auto [lists, rest] = content_of(store);
    EXPECT_FALSE(lists.contains("new"));
    EXPECT_EQ(rest.at("new"), expected.at("new"));
    EXPECT_EQ(rest.at("other"), expected.at("other"));
    EXPECT_GT(meter.current(), before);
}

struct Prefixed {
    std::uint64_t prefix;
    std::uint32_t rest;
};

TEST(RadixSort, SortsAsAComparisonSortDoes) {
    const auto before = [](const Prefixed& a, const Prefixed& b) {
        return a.prefix != b.prefix ? a.prefix < b.prefix : a.rest < b.rest;
    };
    std::mt19937_64 random(11);
    // Prefixes that differ in all bytes, in the last ones, in the first ones, in hardly any.
    for (const std::uint64_t mask : {~0ULL, 0x3ffULL, 0xffff000000000000ULL, 0x0101000000000001ULL, 0ULL}) {
        for (const std::size_t size : {0U, 1U, 191U, 193U, 5000U, 60000U}) {
            std::vector<Prefixed> entries;
            for (std::size_t i = 0; i < size; ++i) {
                entries.push_back({random() & mask, static_cast<std::uint32_t>(random())});
            }
            std::vector<Prefixed> expected = entries;
            std::sort(expected.begin(), expected.end(), before);
            radix_sort(entries.data(), entries.data() + entries.size(), before);
            for (std::size_t i = 0; i < size; ++i) {
                ASSERT_EQ(entries[i].prefix, expected[i].prefix) << mask << " " << size << " " << i;
                ASSERT_EQ(entries[i].rest, expected[i].rest) << mask << " " << size << " " << i;
            }
        }
    }
}

}  // namespace
}  // namespace kvasir::detail
