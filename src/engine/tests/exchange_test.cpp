// The course of the exchanges: when they happen, and what is counted.

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "reference.hpp"
#include "world.hpp"

namespace kvasir::test {
namespace {

std::vector<std::uint64_t> numbers(std::uint64_t count, std::uint64_t distinct) {
    std::vector<std::uint64_t> all(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        all[i] = i % distinct;
    }
    return all;
}

Options with(Strategy strategy) {
    Options options;
    options.strategy = strategy;
    return options;
}

/// A key that is too long for the table of frequent keys.
using LongKey = std::array<std::uint64_t, 3>;

template <class Key = std::uint64_t>
RankStats run(const std::vector<std::uint64_t>& own, const Options& options) {
    const auto result = map_reduce<Key, std::uint64_t>(
        MPI_COMM_WORLD, items(own), [](std::uint64_t n, auto& emit) { emit(Key{n}, 1); },
        [](std::uint64_t a, std::uint64_t b) { return a + b; },
        [](const Key&, std::span<const std::uint64_t> ones) {
            return std::accumulate(ones.begin(), ones.end(), std::uint64_t{0});
        },
        options);
    std::uint64_t sum = 0;
    for (const auto& [key, count] : result) {
        sum += count;
    }
    std::uint64_t in[2] = {sum, own.size()};
    std::uint64_t out[2] = {0, 0};
    complete("MPI_Iallreduce", MPI_Iallreduce, in, out, 2, MPI_UINT64_T, MPI_SUM, world().get());
    EXPECT_EQ(out[0], out[1]);
    return result.stats();
}

std::uint64_t sum_over_ranks(std::uint64_t mine) {
    std::uint64_t all = 0;
    complete("MPI_Iallreduce", MPI_Iallreduce, &mine, &all, 1, MPI_UINT64_T, MPI_SUM, world().get());
    return all;
}

TEST(PartitionFull, FewKeysNeverFillThePartitions) {
    Options options = with(Strategy::partition_full);
    options.send_buffer = 4096;
    const Counters c = run(numbers(100'000, 5), options).counters;
    EXPECT_EQ(c.rounds, 1U);
    EXPECT_EQ(c.rounds_during_map, 0U);
    EXPECT_EQ(c.sent, 5U);
    EXPECT_EQ(c.barriers, 1U);
}

TEST(PartitionFull, ManyKeysAreExchangedDuringTheMapByAllRanks) {
    Options options = with(Strategy::partition_full);
    options.send_buffer = 4096;
    // Only rank 0 has input: the others must come to its exchanges while they have nothing to do.
    const Counters c = run(numbers(world().rank() == 0 ? 20'000 : 0, 20'000), options).counters;
    EXPECT_GT(c.rounds_during_map, 10U);
    EXPECT_EQ(c.rounds, c.rounds_during_map + 1);
    EXPECT_EQ(c.alltoallv, c.rounds);
    std::uint64_t least = 0;
    complete("MPI_Iallreduce", MPI_Iallreduce, &c.alltoallv, &least, 1, MPI_UINT64_T, MPI_MIN, world().get());
    EXPECT_EQ(c.alltoallv, least) << "all ranks take part in all exchanges";
    EXPECT_EQ(c.barriers, 1U);
}

TEST(PartitionFull, NoPartitionHoldsMoreThanItsShare) {
    Options options = with(Strategy::partition_full);
    options.send_buffer = 4096;
    options.combine = CombineWhere::none;
    options.events = true;
    const RankStats stats = run(numbers(3000, 700), options);
    const std::uint64_t share = 4096 / static_cast<std::uint64_t>(world().size()) / 8 * 8;
    bool filled = false;
    std::uint64_t puts = 0;
    for (const Event& event : stats.events) {
        EXPECT_EQ(event.capacity_bytes, share);
        EXPECT_LE(event.bytes, share);
        filled = filled || (event.kind == Event::Kind::exchange && event.bytes + 24 > share);
        puts += static_cast<std::uint64_t>(event.kind == Event::Kind::put);
    }
    EXPECT_TRUE(filled);
    EXPECT_EQ(puts, 3000U);
}

TEST(PartitionFull, TheBoundOnMessagesChangesNothingButTheCalls) {
    Options options = with(Strategy::partition_full);
    options.send_buffer = 100'000;
    options.combine = CombineWhere::none;
    options.message_words = 100;
    const Counters c = run(numbers(20'000, 3000), options).counters;
    EXPECT_GT(c.alltoallv, 5 * c.rounds);
    EXPECT_EQ(sum_over_ranks(c.sent), sum_over_ranks(c.received));
    EXPECT_EQ(sum_over_ranks(c.sent_bytes), sum_over_ranks(c.received_bytes));
}

TEST(ByFill, SendsWhatFillsABlockAndCallsNoAlltoallv) {
    Options options = with(Strategy::by_fill);
    options.send_buffer = 16'384;
    const Counters c = run(numbers(50'000, 20'000), options).counters;
    EXPECT_GT(c.rounds, 5U);
    EXPECT_EQ(c.alltoallv, 0U);
    EXPECT_EQ(sum_over_ranks(c.sent_bytes), sum_over_ranks(c.received_bytes));
}

TEST(CombineSwitch, StopsLookingWhereNothingIsFound) {
    for (const Strategy strategy : {Strategy::partition_full, Strategy::by_fill}) {
        Options options = with(strategy);
        options.send_buffer = 8192;
        options.combine_switch = true;
        const Counters distinct = run(numbers(300'000, 300'000), options).counters;
        EXPECT_LT(distinct.combine_tries, distinct.emitted / 2);
        const Counters few = run(numbers(300'000, 10), options).counters;
        EXPECT_EQ(few.combine_tries, few.emitted);
        options.combine_switch = false;
        EXPECT_EQ(run(numbers(300'000, 300'000), options).counters.combine_tries, 300'000U);
    }
}

/// Numbers of which `hits` of ten are one of ten, and all others differ.
std::vector<std::uint64_t> skewed(std::uint64_t count, std::uint64_t hits) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t i = 0; i < count; ++i) {
        all.push_back(i % 10 < hits ? i / 10 % 10 : 1'000'000 + i);
    }
    return all;
}

TEST(Adaptive, CombinesInALargeTableWhatRepeats) {
    Options options = with(Strategy::adaptive);
    options.combine_cache = 64'000;
    const Counters c = run(numbers(600'000, 100'000), options).counters;
    EXPECT_EQ(c.combine_tries, c.emitted);
    EXPECT_EQ(c.sent, 100'000U) << "the table is larger than the cache and smaller than the send buffer";
    EXPECT_EQ(c.alltoallv, 0U);
}

TEST(Adaptive, KeepsWhatRepeatsFromTheBlocks) {
    Options options = with(Strategy::adaptive);
    options.send_buffer = 800'000;
    const Counters c = run(skewed(600'000, 9), options).counters;
    EXPECT_GE(c.combined_before, 540'000U - 30U) << "ten keys, whenever the table is emptied";
    EXPECT_EQ(sum_over_ranks(c.sent_bytes), sum_over_ranks(c.received_bytes));
}

/// Words of up to a kibibyte, whose look-ups miss the cache: they wait in a queue if they are not too long.
TEST(Adaptive, CombinesLongWordsInALargeTable) {
    constexpr std::uint64_t distinct = 20'000;
    Options options = with(Strategy::adaptive);
    options.combine_cache = 64'000;
    const std::vector<std::uint64_t> own = numbers(5 * distinct, distinct);
    const auto word = [](std::uint64_t number) {
        return std::to_string(number) + std::string(number % 10 == 0 ? 1000 : number % 100, 'x');
    };
    const auto counts = map_reduce<std::string_view, std::uint64_t>(
        MPI_COMM_WORLD, items(own), [&](std::uint64_t number, auto& emit) { emit(word(number), 1); },
        [](std::uint64_t a, std::uint64_t b) { return a + b; },
        [](std::string_view, std::span<const std::uint64_t> ones) {
            return std::accumulate(ones.begin(), ones.end(), std::uint64_t{0});
        },
        options);
    for (const auto& [key, count] : counts) {
        EXPECT_EQ(count, 5 * static_cast<std::uint64_t>(world().size())) << key;
        EXPECT_EQ(key, word(std::stoull(std::string(key))));
    }
    EXPECT_EQ(sum_over_ranks(counts.size()), distinct);
    EXPECT_EQ(counts.stats().counters.sent, distinct) << "the table is larger than the cache";
}

TEST(Adaptive, CombinesInTheCacheWhatComesAgainSoon) {
    std::vector<std::uint64_t> passages;
    for (const std::uint64_t number : numbers(2'000'000, 5000)) {
        passages.push_back(number + passages.size() / 50'000 * 5000);
    }
    const RankStats stats = run(passages, with(Strategy::adaptive));
    EXPECT_GE(stats.counters.combined_before, 1'700'000U);
    EXPECT_LE(stats.counters.sent, 300'000U);
    EXPECT_GT(stats.counters.rounds, 2U) << "the table is emptied during the map";
}

TEST(Adaptive, CombinesInTheCacheWhatRepeatsThere) {
    Options options = with(Strategy::adaptive);
    options.combine_cache = 64'000;
    const Counters c = run<LongKey>(skewed(600'000, 9), options).counters;
    EXPECT_EQ(c.combine_tries, c.emitted);
    EXPECT_GT(c.combined_before, c.emitted * 8 / 10);
    EXPECT_GT(sum_over_ranks(c.rounds), 10U) << "blocks leave when the small table is full";
    EXPECT_EQ(sum_over_ranks(c.sent_bytes), sum_over_ranks(c.received_bytes));
}

TEST(Adaptive, SendsWhatIsGroupedAsListsOfValues) {
    Options options = with(Strategy::adaptive);
    options.combine = CombineWhere::none;
    const Counters c = run(numbers(600'000, 100), options).counters;
    const std::uint64_t records = sum_over_ranks(c.emitted);
    EXPECT_EQ(sum_over_ranks(c.sent), records);
    EXPECT_EQ(sum_over_ranks(c.received), records);
    EXPECT_EQ(sum_over_ranks(c.sent_bytes), sum_over_ranks(c.received_bytes));
    EXPECT_LT(sum_over_ranks(c.sent_bytes), 9 * records) << "values of 8 bytes; records have 24";
    EXPECT_EQ(c.alltoallv, 0U);
}

TEST(Adaptive, SendsRecordsOfKeysThatHardlyComeAgain) {
    Options options = with(Strategy::adaptive);
    options.combine = CombineWhere::none;
    for (const std::uint64_t buffer : {64U << 20U, 1U << 20U}) {
        options.send_buffer = buffer;
        const Counters c = run(numbers(600'000, 200'000), options).counters;
        const std::uint64_t records = sum_over_ranks(c.emitted);
        EXPECT_EQ(sum_over_ranks(c.received), records);
        EXPECT_EQ(sum_over_ranks(c.sent_bytes), sum_over_ranks(c.received_bytes));
        EXPECT_GT(sum_over_ranks(c.sent_bytes), 22 * records) << "lists were given up early";
        EXPECT_LT(sum_over_ranks(c.sent_bytes), 26 * records);
    }
}

/// Buffers of a small job are a small part of its memory, those of a large one hold many records.
TEST(ByFill, BlocksGrowWithWhatHasBeenSent) {
    constexpr std::size_t record = 3 * sizeof(std::uint64_t);
    constexpr std::uint64_t records = 500'000;  // of a rank
    for (const Strategy strategy : {Strategy::by_fill, Strategy::adaptive}) {
        Options options = with(strategy);
        options.combine = CombineWhere::none;
        const RankStats small = run(numbers(records, records / 4), options);
        EXPECT_LT(sum_over_ranks(small.kv_bytes_peak), 12 * sum_over_ranks(records) * record / 10);
        const std::uint64_t first = small.counters.rounds;
        const std::uint64_t again = run(numbers(8 * records, 2 * records), options).counters.rounds;
        EXPECT_LT(again, 5 * first) << "eight times as many records do not take five times as many blocks";
    }
}

TEST(Adaptive, StopsLookingWhereNothingIsFound) {
    Options options = with(Strategy::adaptive);
    options.send_buffer = 800'000;
    const Counters c = run(numbers(600'000, 600'000), options).counters;
    EXPECT_LT(c.combine_tries, c.emitted / 2);
    EXPECT_EQ(sum_over_ranks(c.sent), sum_over_ranks(c.received));
}

TEST(Adaptive, TriesAgainWhenTheRecordsChange) {
    Options options = with(Strategy::adaptive);
    options.send_buffer = 80'000;
    std::vector<std::uint64_t> all = numbers(300'000, 300'000);
    const std::vector<std::uint64_t> few = numbers(900'000, 10);
    all.insert(all.end(), few.begin(), few.end());
    const Counters c = run(all, options).counters;
    EXPECT_GT(c.combined_before, 700'000U);
}

TEST(Tables, LargerThanTheCacheCombineTheSame) {
    for (const Strategy strategy : {Strategy::partition_full, Strategy::by_fill}) {
        Options options = with(strategy);
        options.combine_cache = 64U << 20U;
        const Counters c = run(numbers(600'000, 100'000), options).counters;
        EXPECT_EQ(c.sent, 100'000U);
        EXPECT_EQ(c.combined_before, 500'000U);
    }
}

TEST(Oversize, RecordsLongerThanAPartitionArrive) {
    for (const Strategy strategy : {Strategy::partition_full, Strategy::by_fill, Strategy::adaptive}) {
        Options options = with(strategy);
        options.send_buffer = 1000;
        std::vector<std::string> own;
        for (int i = 0; i < 20; ++i) {
            own.emplace_back(static_cast<std::size_t>(i) * 1000, static_cast<char>('a' + i));
        }
        const auto result = map_reduce<std::string_view, std::string_view>(
            MPI_COMM_WORLD, items(own), [](const std::string& text, auto& emit) { emit(text, text); },
            no_combine,
            [](std::string_view key, std::span<const std::string_view> values) {
                std::size_t right = 0;
                for (const std::string_view value : values) {
                    right += static_cast<std::size_t>(value == key);
                }
                return std::to_string(right);
            },
            options);
        for (const auto& [key, count] : collect_result(world(), result)) {
            EXPECT_EQ(count, std::to_string(world().size())) << key.size();
        }
        EXPECT_EQ(sum_over_ranks(result.size()), 20U);
        EXPECT_GT(result.stats().counters.oversize, 15U);
    }
}

TEST(Pipeline, StagedHoldsMoreMemory) {
    for (const CombineWhere combine : {CombineWhere::none, CombineWhere::both}) {
        Options options;
        options.send_buffer = 65'536;
        options.combine = combine;
        const std::uint64_t pipelined = sum_over_ranks(run(numbers(200'000, 1000), options).kv_bytes_peak);
        options.pipeline = Pipeline::staged;
        const RankStats staged = run(numbers(200'000, 1000), options);
        EXPECT_GT(sum_over_ranks(staged.kv_bytes_peak), pipelined + pipelined / 2);
        EXPECT_EQ(staged.counters.barriers, 3U);
    }
}

TEST(Clock, PhasesAddUpToTheRuntime) {
    const RankStats stats = run(numbers(200'000, 50'000), Options{});
    double sum = 0;
    for (int phase = 0; phase < static_cast<int>(Phase::count); ++phase) {
        sum += stats.clock.spent(static_cast<Phase>(phase)).wall;
    }
    EXPECT_NEAR(sum, stats.end - stats.start, 1e-6);
}

}  // namespace
}  // namespace kvasir::test
