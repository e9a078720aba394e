// Balance: which bins move, and which keys count as frequent.

#include <gtest/gtest.h>

#include <algorithm>

#include "kvasir/detail/balancer.hpp"

namespace kvasir::detail {
namespace {

std::vector<std::uint64_t> sums_of(const std::vector<int>& owners, const std::vector<std::uint64_t>& load,
                                   int ranks) {
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(ranks));
    for (std::size_t bin = 0; bin < owners.size(); ++bin) {
        sums[static_cast<std::size_t>(owners[bin])] += load[bin];
    }
    return sums;
}

TEST(Owners, StayWhereLoadIsEven) {
    const std::vector<int> owners{0, 0, 1, 1};
    EXPECT_EQ(balanced_owners(owners, {10, 10, 10, 10}, 2, 1.05), owners);
    EXPECT_EQ(balanced_owners(owners, {0, 0, 0, 0}, 2, 1.05), owners);
}

TEST(Owners, MoveFromTheFullestRankUntilTheFactorHolds) {
    const std::vector<int> owners{0, 0, 0, 0, 1, 1, 2, 2};
    const std::vector<std::uint64_t> load{30, 30, 20, 20, 5, 5, 5, 5};
    const auto sums = sums_of(balanced_owners(owners, load, 3, 1.05), load, 3);
    EXPECT_LE(*std::max_element(sums.begin(), sums.end()), 45U);
}

TEST(Owners, CannotMoveOneHeavyBinAndLeaveItAlone) {
    const std::vector<int> owners{0, 0, 1, 1};
    const auto moved = balanced_owners(owners, {100, 1, 1, 1}, 2, 1.05);
    EXPECT_EQ(moved[0], 0);
    EXPECT_EQ(moved[1], 1);
}

TEST(Frequent, FindsHeavyHashesAmongManyOthers) {
    FrequentHashes frequent;
    for (std::uint64_t i = 0; i < 100'000; ++i) {
        frequent.see(i % 10 == 0 ? 7 : 1000 + i);
    }
    const auto& entries = frequent.entries();
    EXPECT_LE(entries.size(), FrequentHashes::kEntries);
    const auto heavy =
        std::find_if(entries.begin(), entries.end(), [](const auto& e) { return e.hash == 7; });
    ASSERT_NE(heavy, entries.end());
    EXPECT_GT(heavy->count, 9000U);
    EXPECT_EQ(frequent.seen(), 100'000U);
}

TEST(Router, StartsAsAPlainHashAndSendsSplitKeysRound) {
    Router plain(1, 4, false);
    Router balanced(1, 4, true);
    for (std::uint64_t i = 0; i < 1000; ++i) {
        const std::uint64_t hash = i * 0x9e3779b97f4a7c15ULL;
        EXPECT_EQ(plain.route(hash), balanced.route(hash));
    }
    EXPECT_FALSE(balanced.changed());
    balanced.split(5);
    balanced.split(5);
    EXPECT_EQ(balanced.splits(), 1U);
    EXPECT_TRUE(balanced.changed());
    std::vector<int> seen(4);
    for (int i = 0; i < 400; ++i) {
        ++seen[static_cast<std::size_t>(balanced.route(5))];
    }
    EXPECT_EQ(seen, std::vector<int>(4, 100));
}

}  // namespace
}  // namespace kvasir::detail
