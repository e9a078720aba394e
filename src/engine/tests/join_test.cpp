// Join by key, against nested loops.

#include "kvasir/join.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "reference.hpp"
#include "world.hpp"

namespace kvasir::test {
namespace {

using Row = std::string;

/// Every rank's rows, in order, on every rank.
std::vector<Row> all_rows(const std::vector<Row>& own) {
    std::vector<Row> rows;
    for (int rank = 0; rank < world().size(); ++rank) {
        std::uint64_t count = own.size();
        MPI_Bcast(&count, 1, MPI_UINT64_T, rank, world().get());
        for (std::uint64_t i = 0; i < count; ++i) {
            Row row = rank == world().rank() ? own[i] : Row();
            std::uint64_t size = row.size();
            MPI_Bcast(&size, 1, MPI_UINT64_T, rank, world().get());
            row.resize(size);
            MPI_Bcast(row.data(), static_cast<int>(size), MPI_CHAR, rank, world().get());
            rows.push_back(row);
        }
    }
    std::sort(rows.begin(), rows.end());
    return rows;
}

/// Few keys more than once on both sides, and keys that one side lacks.
std::vector<Record> some_of(Kind kind, std::uint64_t seed) {
    std::vector<Record> records = random_records(kind, seed);
    records.resize(std::min<std::size_t>(records.size(), 150));
    return records;
}

TEST(Join, PairsWhatNestedLoopsPair) {
    const auto as_is = [](const Record& record, auto& emit) { emit(record.first, record.second); };
    const auto row = [](std::string_view key, std::string_view left, std::string_view right) {
        return std::string(key) + '|' + std::string(left) + '|' + std::string(right);
    };
    for (const Kind kind : kKinds) {
        const std::vector<Record> left = some_of(kind, 1);
        const std::vector<Record> right = some_of(kind, 2);
        std::vector<Row> expected;
        for (const auto& [key, value] : left) {
            for (const auto& [other, theirs] : right) {
                if (key == other) {
                    expected.push_back(row(key, value, theirs));
                }
            }
        }
        std::sort(expected.begin(), expected.end());
        EXPECT_TRUE(kind == Kind::none || kind == Kind::long_keys || !expected.empty());
        const std::vector<Record> own_left = share_of(left, world());
        const std::vector<Record> own_right = share_of(right, world());
        for (const Strategy strategy : {Strategy::partition_full, Strategy::by_fill}) {
            Options options;
            options.strategy = strategy;
            options.send_buffer = 4096;
            const auto joined = join<std::string_view, std::string_view, std::string_view>(
                MPI_COMM_WORLD, items(own_left), as_is, items(own_right), as_is, row, options);
            ASSERT_EQ(all_rows(joined), expected) << static_cast<int>(kind);
        }
    }
}

TEST(Join, TakesValuesOfTwoTypesAndInputsOfTwoKinds) {
    const SharedFolder folder;
    const std::string file = folder.write("names", "1 one\n2 two\n4 four\n2 zwei\n");
    const std::vector<std::uint64_t> own =
        world().rank() == 0 ? std::vector<std::uint64_t>{1, 2, 3} : std::vector<std::uint64_t>{};
    const auto joined = join<std::uint64_t, double, std::string_view>(
        MPI_COMM_WORLD, items(own),
        [](std::uint64_t number, auto& emit) { emit(number, static_cast<double>(number) / 2); },
        lines({file}),
        [](std::string_view line, auto& emit) {
            emit(static_cast<std::uint64_t>(line[0] - '0'), line.substr(2));
        },
        [](std::uint64_t number, double half, std::string_view name) {
            return std::to_string(number) + " " + std::to_string(half) + " " + std::string(name);
        });
    EXPECT_EQ(all_rows(joined), (std::vector<Row>{"1 0.500000 one", "2 1.000000 two", "2 1.000000 zwei"}));
}

}  // namespace
}  // namespace kvasir::test
