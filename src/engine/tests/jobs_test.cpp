// Whole jobs on random inputs against the reference, with every combination of settings.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "reference.hpp"
#include "world.hpp"

namespace kvasir::test {
namespace {

const auto kAdd = [](std::uint64_t a, std::uint64_t b) { return a + b; };

class Jobs : public testing::TestWithParam<Kind> {};

TEST_P(Jobs, SumsOfFixedSizeValues) {
    const std::vector<Record> all = random_records(GetParam(), 1);
    std::map<std::string, std::uint64_t> sums;
    for (const auto& [key, value] : all) {
        sums[key] += value.size();
    }
    Output expected;
    for (const auto& [key, sum] : sums) {
        expected[key] = std::to_string(sum);
    }
    const std::vector<Record> own = share_of(all, world());
    for (const Options& options : all_options(true)) {
        const auto result = map_reduce<std::string_view, std::uint64_t>(
            MPI_COMM_WORLD, items(own), [](const Record& r, auto& emit) { emit(r.first, r.second.size()); },
            kAdd,
            [](std::string_view, std::span<const std::uint64_t> values) {
                return std::to_string(std::accumulate(values.begin(), values.end(), std::uint64_t{0}));
            },
            options);
        ASSERT_EQ(collect_result(world(), result), expected) << describe(options);
        const Counters& c = result.stats().counters;
        EXPECT_EQ(c.emitted, own.size());
        EXPECT_EQ(c.sent + c.combined_before, c.emitted) << describe(options);
        EXPECT_EQ(c.barriers, options.pipeline == Pipeline::staged ? 3U : 1U);
        EXPECT_EQ(result.stats().clock.overlap(Phase::convert, Phase::reduce) > 0,
                  options.pipeline == Pipeline::pipelined)
            << describe(options);
    }
}

TEST_P(Jobs, ListsOfByteStrings) {
    const std::vector<Record> all = random_records(GetParam(), 2);
    std::map<std::string, std::multiset<std::string>> lists;
    for (const auto& [key, value] : all) {
        lists[key].insert(value);
    }
    const auto join = [](const auto& sorted) {
        std::string joined;
        for (const auto& value : sorted) {
            joined.append(std::to_string(value.size())).append(1, ':').append(value);
        }
        return joined;
    };
    Output expected;
    for (const auto& [key, values] : lists) {
        expected[key] = join(values);
    }
    const std::vector<Record> own = share_of(all, world());
    for (const Options& options : all_options(false)) {
        const auto result = map_reduce<std::string_view, std::string_view>(
            MPI_COMM_WORLD, items(own), [](const Record& r, auto& emit) { emit(r.first, r.second); },
            no_combine,
            [&](std::string_view, std::span<const std::string_view> values) {
                std::vector<std::string_view> sorted(values.begin(), values.end());
                std::sort(sorted.begin(), sorted.end());
                return join(sorted);
            },
            options);
        ASSERT_EQ(collect_result(world(), result), expected) << describe(options);
    }
}

/// The set of all bytes in two strings: commutative, associative, and its result grows.
std::string unite(std::string_view a, std::string_view b) {
    std::string bytes(a);
    bytes += b;
    std::sort(bytes.begin(), bytes.end());
    bytes.erase(std::unique(bytes.begin(), bytes.end()), bytes.end());
    return bytes;
}

TEST_P(Jobs, CombinedByteStringsThatGrow) {
    const std::vector<Record> all = random_records(GetParam(), 3);
    Output expected;
    for (const auto& [key, value] : all) {
        expected[key] = unite(expected[key], value);
    }
    const std::vector<Record> own = share_of(all, world());
    for (const Options& options : all_options(true)) {
        const auto result = map_reduce<std::string_view, std::string_view>(
            MPI_COMM_WORLD, items(own), [](const Record& r, auto& emit) { emit(r.first, r.second); }, &unite,
            [](std::string_view, std::span<const std::string_view> values) {
                std::string set;
                for (const std::string_view value : values) {
                    set = unite(set, value);
                }
                return set;
            },
            options);
        ASSERT_EQ(collect_result(world(), result), expected) << describe(options);
    }
}

INSTANTIATE_TEST_SUITE_P(AllKinds, Jobs, testing::ValuesIn(kKinds));

struct Point {
    std::uint32_t x;
    std::int32_t y;
};
struct Big {
    std::uint64_t part[4];
};
struct Moments {
    double sum;
    std::uint32_t count;
};

/// Keys of one type made from small numbers, all settings.
template <class Key, class Make>
void sums_by(Make&& make) {
    std::vector<std::uint32_t> own;
    std::map<std::uint32_t, std::pair<double, std::uint32_t>> sums;
    for (std::uint32_t i = 0; i < 3000; ++i) {
        const std::uint32_t number = i * i % 97;
        sums[number].first += i;
        sums[number].second += 1;
        if (i % static_cast<std::uint32_t>(world().size()) == static_cast<std::uint32_t>(world().rank())) {
            own.push_back(i);
        }
    }
    Output expected;
    for (const auto& [number, sum] : sums) {
        const Key key = make(number);
        expected[std::string(reinterpret_cast<const char*>(&key), sizeof(key))] =
            std::to_string(sum.first) + "/" + std::to_string(sum.second);
    }
    for (const Options& options : all_options(true)) {
        const auto result = map_reduce<Key, Moments>(
            MPI_COMM_WORLD, items(own),
            [&](std::uint32_t i, auto& emit) {
                emit(make(i * i % 97), Moments{static_cast<double>(i), 1});
            },
            [](const Moments& a, const Moments& b) {
                return Moments{a.sum + b.sum, a.count + b.count};
            },
            [](const Key&, std::span<const Moments> values) {
                Moments all{0, 0};
                for (const Moments& m : values) {
                    all = {all.sum + m.sum, all.count + m.count};
                }
                return std::to_string(all.sum) + "/" + std::to_string(all.count);
            },
            options);
        std::vector<Record> records;
        for (const auto& [key, value] : result) {
            records.emplace_back(std::string(reinterpret_cast<const char*>(&key), sizeof(key)), value);
        }
        ASSERT_EQ(collect(world(), records), expected) << describe(options);
    }
}

TEST(FixedSizeKeys, Integers) {
    sums_by<std::uint64_t>([](std::uint32_t n) { return std::uint64_t{n} << 40U; });
}
TEST(FixedSizeKeys, Bytes) {
    sums_by<std::uint8_t>([](std::uint32_t n) { return static_cast<std::uint8_t>(n); });
}
TEST(FixedSizeKeys, Structs) {
    sums_by<Point>([](std::uint32_t n) { return Point{n % 10, -static_cast<std::int32_t>(n)}; });
}
TEST(FixedSizeKeys, LongStructs) {
    sums_by<Big>([](std::uint32_t n) { return Big{{1, 2, 3, n}}; });
}

/// Lists of values of one size, all settings: the numbers of each key, and that no byte of a value has
/// changed.
template <std::size_t kBytes>
void lists_of_values() {
    using Value = std::array<unsigned char, kBytes>;
    std::vector<std::uint64_t> own;
    std::map<std::string, std::uint64_t> sums;
    for (std::uint64_t i = 0; i < 5000; ++i) {
        sums[std::to_string(i % 61)] += i % 251;
        if (i % static_cast<std::uint64_t>(world().size()) == static_cast<std::uint64_t>(world().rank())) {
            own.push_back(i);
        }
    }
    Output expected;
    for (const auto& [key, sum] : sums) {
        expected[key] = std::to_string(sum);
    }
    for (const Options& options : all_options(false)) {
        const auto result = map_reduce<std::uint64_t, Value>(
            MPI_COMM_WORLD, items(own),
            [](std::uint64_t i, auto& emit) {
                Value value;
                value.fill(static_cast<unsigned char>(i % 251));
                emit(i % 61, value);
            },
            no_combine,
            [](std::uint64_t, std::span<const Value> values) {
                std::uint64_t sum = 0;
                for (const Value& value : values) {
                    const bool whole = std::count(value.begin(), value.end(), value[0]) == kBytes;
                    sum += whole ? value[0] : 1'000'000;
                }
                return sum;
            },
            options);
        std::vector<Record> records;
        for (const auto& [key, sum] : result) {
            records.emplace_back(std::to_string(key), std::to_string(sum));
        }
        ASSERT_EQ(collect(world(), records), expected) << describe(options);
    }
}

TEST(FixedSizeValues, OfOneByte) { lists_of_values<1>(); }
TEST(FixedSizeValues, OfTwoWords) { lists_of_values<16>(); }
TEST(FixedSizeValues, OfMoreThanACacheLine) { lists_of_values<72>(); }
TEST(FixedSizeValues, OfManyLines) { lists_of_values<1000>(); }

TEST(Reduce, MayReturnNothing) {
    const std::vector<int> own(10, world().rank());
    std::uint64_t seen = 0;
    const auto result = map_reduce<int, int>(
        MPI_COMM_WORLD, items(own), [](int i, auto& emit) { emit(i, 1); }, no_combine,
        [&](int, std::span<const int> ones) { seen += ones.size(); });
    std::uint64_t all = 0;
    complete("MPI_Iallreduce", MPI_Iallreduce, &seen, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(all, 10U * static_cast<std::uint64_t>(world().size()));
    EXPECT_EQ(result.stats().counters.values, seen);
}

}  // namespace
}  // namespace kvasir::test
