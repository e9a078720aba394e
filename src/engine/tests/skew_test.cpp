// Skew: repartition evens out what can move, split what cannot; both give the same again and again.

#include <gtest/gtest.h>

#include <numeric>

#include "reference.hpp"
#include "world.hpp"

namespace kvasir::test {
namespace {

/// Items that all ranks map at the same pace, whatever the machine does: what is tested must not depend on
/// time. Buffers are so large that no rank waits for another one in an exchange meanwhile.
struct PacedItems {
    std::span<const std::uint64_t> own;

    struct Reader {
        std::span<const std::uint64_t> rest;

        template <class Sink>
        bool next(PhaseClock& /*clock*/, Counters& /*counters*/, Sink&& sink) {
            barrier(world());
            const std::size_t count = std::min<std::size_t>(1000, rest.size());
            for (const std::uint64_t number : rest.first(count)) {
                sink(number);
            }
            rest = rest.subspan(count);
            return !rest.empty();
        }
    };
    Reader open(const Communicator& /*comm*/, const Options& /*options*/) const { return {own}; }
};

/// How a job ended.
struct Ended {
    std::vector<std::uint64_t> held;     ///< records of each rank
    std::vector<std::uint64_t> reduced;  ///< values that each rank has converted and reduced
    std::vector<std::uint64_t> keys;     ///< on this rank, sorted
    std::uint64_t split_keys;
};

Ended run(const std::vector<std::uint64_t>& own, Balance balance, Strategy strategy) {
    Options options;
    options.combine = CombineWhere::none;
    options.balance = balance;
    options.strategy = strategy;
    options.balance_first = 2000;
    const auto result = map_reduce<std::uint64_t, std::uint64_t>(
        MPI_COMM_WORLD, PacedItems{own}, [](std::uint64_t n, auto& emit) { emit(n, 1); },
        [](std::uint64_t a, std::uint64_t b) { return a + b; },
        [](std::uint64_t, std::span<const std::uint64_t> ones) {
            return std::accumulate(ones.begin(), ones.end(), std::uint64_t{0});
        },
        options);
    const std::vector<std::uint64_t> zeros(static_cast<std::size_t>(world().size()));
    Ended ended{zeros, zeros, {}, 0};
    std::uint64_t sum = 0;
    for (const auto& [key, count] : result) {
        sum += count;
        ended.keys.push_back(key);
    }
    std::sort(ended.keys.begin(), ended.keys.end());
    std::uint64_t total = 0;
    complete("MPI_Iallreduce", MPI_Iallreduce, &sum, &total, 1, MPI_UINT64_T, MPI_SUM, world().get());
    EXPECT_EQ(total, own.size() * static_cast<std::uint64_t>(world().size()));
    // Every key is on one rank: what was split has been merged.
    const std::uint64_t keys = ended.keys.size();
    std::uint64_t all_keys = 0;
    complete("MPI_Iallreduce", MPI_Iallreduce, &keys, &all_keys, 1, MPI_UINT64_T, MPI_SUM, world().get());
    EXPECT_EQ(all_keys, std::set<std::uint64_t>(own.begin(), own.end()).size());
    complete("MPI_Iallgather", MPI_Iallgather, &result.stats().counters.held, 1, MPI_UINT64_T,
             ended.held.data(), 1, MPI_UINT64_T, world().get());
    complete("MPI_Iallgather", MPI_Iallgather, &result.stats().counters.values, 1, MPI_UINT64_T,
             ended.reduced.data(), 1, MPI_UINT64_T, world().get());
    ended.split_keys = result.stats().counters.split_keys;
    return ended;
}

/// Max over mean.
double imbalance(const std::vector<std::uint64_t>& of) {
    const auto sum = static_cast<double>(std::accumulate(of.begin(), of.end(), std::uint64_t{0}));
    return static_cast<double>(*std::max_element(of.begin(), of.end())) * static_cast<double>(of.size()) /
           sum;
}

/// Every second record is one key; the others are many.
std::vector<std::uint64_t> superkey() {
    std::vector<std::uint64_t> own(200'000);
    for (std::uint64_t i = 0; i < own.size(); ++i) {
        own[i] = i % 2 == 0 ? 7 : 1000 + i % 20'000;
    }
    return own;
}

/// A few dozen keys hold most of the records.
std::vector<std::uint64_t> lumpy() {
    std::vector<std::uint64_t> own(200'000);
    for (std::uint64_t i = 0; i < own.size(); ++i) {
        own[i] = i * i % 79;
    }
    return own;
}

class Skew : public testing::TestWithParam<Strategy> {};

TEST_P(Skew, RepartitionEvensOutLumpyKeys) {
    const double plain = imbalance(run(lumpy(), Balance::hash, GetParam()).held);
    const double balanced = imbalance(run(lumpy(), Balance::repartition, GetParam()).held);
    EXPECT_LE(balanced, plain);
    EXPECT_LT(balanced, 1.2);
}

TEST_P(Skew, OnlySplitHelpsAgainstASuperkey) {
    if (world().size() < 3) {  // one key of half the records is no burden for two ranks
        EXPECT_LT(imbalance(run(superkey(), Balance::split, GetParam()).held), 1.1);
        return;
    }
    const Ended split = run(superkey(), Balance::split, GetParam());
    EXPECT_GT(imbalance(run(superkey(), Balance::repartition, GetParam()).held), 1.4);
    EXPECT_LT(imbalance(split.held), 1.15);
    EXPECT_LT(imbalance(split.reduced), 1.15);
    EXPECT_EQ(split.split_keys, 1U);
}

TEST_P(Skew, TheSameInputEndsOnTheSameRanks) {
    for (const auto& input : {lumpy(), superkey()}) {
        for (const Balance balance : {Balance::repartition, Balance::split}) {
            const Ended once = run(input, balance, GetParam());
            const Ended again = run(input, balance, Strategy::by_fill);
            EXPECT_EQ(once.keys, again.keys);
            EXPECT_EQ(once.split_keys, again.split_keys);
            if (balance == Balance::repartition) {
                EXPECT_EQ(once.held, again.held);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(BothExchanges, Skew, testing::Values(Strategy::partition_full, Strategy::by_fill));

TEST(Split, NeedsACombiner) {
    if (world().size() == 1) {
        return;  // with one rank there is nobody to split between, and no key is a burden
    }
    Options options;
    options.balance = Balance::split;
    options.balance_first = 100;
    const std::vector<int> own(10'000, 1);
    EXPECT_THROW((map_reduce<int, int>(
                     MPI_COMM_WORLD, items(own), [](int i, auto& emit) { emit(i, 1); }, no_combine,
                     [](int, std::span<const int> ones) { return ones.size(); }, options)),
                 Error);
}

}  // namespace
}  // namespace kvasir::test
