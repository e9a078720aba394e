// Sort by key and the first entries of a result, against plain code on one process.

#include "kvasir/sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "kvasir/top.hpp"
#include "reference.hpp"
#include "world.hpp"

namespace kvasir::test {
namespace {

/// Records of all ranks, rank by rank, on every rank.
std::vector<Record> in_rank_order(SortedRange& sorted) {
    std::vector<Record> own;
    sorted.for_each([&](std::string_view key, std::string_view value) { own.emplace_back(key, value); });
    std::vector<Record> all;
    for (int rank = 0; rank < world().size(); ++rank) {
        std::uint64_t count = own.size();
        MPI_Bcast(&count, 1, MPI_UINT64_T, rank, world().get());
        for (std::uint64_t i = 0; i < count; ++i) {
            Record record = rank == world().rank() ? own[i] : Record();
            for (std::string* text : {&record.first, &record.second}) {
                std::uint64_t size = text->size();
                MPI_Bcast(&size, 1, MPI_UINT64_T, rank, world().get());
                text->resize(size);
                MPI_Bcast(text->data(), static_cast<int>(size), MPI_CHAR, rank, world().get());
            }
            all.push_back(record);
        }
    }
    return all;
}

const auto kAsIs = [](const Record& record, auto& emit) { emit(record.first, record.second); };

TEST(SortByKey, PutsRecordsOfAnyKindInOrder) {
    for (const Kind kind : kKinds) {
        for (const std::size_t samples : {1, 1000}) {
            std::vector<Record> all = random_records(kind, 7);
            const std::vector<Record> own = share_of(all, world());
            Options options;
            options.send_buffer = samples == 1 ? 4096 : 1 << 20;
            SortedRange sorted = sort_by_key(MPI_COMM_WORLD, items(own), kAsIs, options, samples);
            std::sort(all.begin(), all.end());
            ASSERT_EQ(in_rank_order(sorted), all) << static_cast<int>(kind) << ", samples " << samples;
        }
    }
}

TEST(SortByKey, GivesTheSameWithABudget) {
    for (const Kind kind : kKinds) {
        const SharedFolder folder;
        std::vector<Record> all;
        for (std::uint64_t i = 0; i < 20; ++i) {
            const std::vector<Record> some = random_records(kind, 50 + i);
            all.insert(all.end(), some.begin(), some.end());
        }
        const std::vector<Record> own = share_of(all, world());
        Options options;
        options.memory = kind == Kind::long_keys ? 3U << 20U : 80U << 10U;
        options.send_buffer = 4096;
        options.spill = folder.path();
        SortedRange sorted = sort_by_key(MPI_COMM_WORLD, items(own), kAsIs, options);
        std::sort(all.begin(), all.end());
        ASSERT_EQ(in_rank_order(sorted), all) << static_cast<int>(kind);
        if (kind == Kind::distinct) {
            EXPECT_GT(sum_over_ranks(world(), sorted.spilled().record_bytes), 0U);
        }
        EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
        barrier(world());
    }
}

TEST(SortByKey, DividesAlsoOneKeyEvenly) {
    constexpr std::size_t each = 20'000;
    std::mt19937_64 random(static_cast<unsigned>(world().rank()));
    std::vector<Record> own(each);
    for (Record& record : own) {
        record = {random() % 4 == 0 ? std::to_string(random()) : "most", std::to_string(random())};
    }
    const SortedRange sorted = sort_by_key(MPI_COMM_WORLD, items(own), kAsIs);
    EXPECT_GT(sorted.size(), each / 2);
    EXPECT_LT(sorted.size(), each * 2);
}

TEST(SortByKey, FailsOnAllRanksWhereOneMapFails) {
    const std::vector<Record> own = share_of(random_records(Kind::distinct, 8), world());
    const auto map = [](const Record& record, auto& emit) {
        if (record.first == "d100") {
            throw Error("no such record is wanted");
        }
        emit(record.first, record.second);
    };
    EXPECT_THROW(sort_by_key(MPI_COMM_WORLD, items(own), map), JobError);
}

TEST(Top, IsThatOfAllRanks) {
    std::vector<std::uint64_t> own;
    for (std::uint64_t i = 0; i < 30'000; ++i) {
        own.push_back(i * i % 7001);
    }
    const auto counts = map_reduce<std::uint64_t, std::uint64_t>(
        MPI_COMM_WORLD, items(own), [](std::uint64_t number, auto& emit) { emit(number, 1); }, no_combine,
        [](std::uint64_t, std::span<const std::uint64_t> ones) { return std::uint64_t{ones.size()}; });
    std::map<std::uint64_t, std::uint64_t> plain;
    for (const std::uint64_t number : own) {
        plain[number] += static_cast<std::uint64_t>(world().size());
    }
    std::vector<std::pair<std::uint64_t, std::uint64_t>> expected(plain.begin(), plain.end());
    std::stable_sort(expected.begin(), expected.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const std::size_t most : {0, 1, 10, 100'000}) {
        const auto found = top(world(), counts, most);
        ASSERT_EQ(found.size(), world().rank() == 0 ? std::min(most, expected.size()) : 0);
        for (std::size_t i = 0; i < found.size(); ++i) {
            ASSERT_EQ(std::pair(found[i].key, found[i].value), expected[i]) << i;
        }
    }
    const auto least = top(world(), counts, 3, [](const auto& a, const auto& b) { return a.key < b.key; });
    ASSERT_EQ(least.size(), world().rank() == 0 ? 3U : 0U);
    for (std::size_t i = 0; i < least.size(); ++i) {
        EXPECT_EQ(least[i].key, std::next(plain.begin(), static_cast<std::ptrdiff_t>(i))->first);
    }
}

}  // namespace
}  // namespace kvasir::test
