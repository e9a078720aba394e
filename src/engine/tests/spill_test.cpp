// Jobs with a budget of memory: the same results, or one error on all ranks.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <numeric>

#include "open_files.hpp"
#include "reference.hpp"
#include "world.hpp"

namespace kvasir::test {
namespace {

constexpr std::size_t kLongRecord = 80'000;  // bytes; more than the longest of random_records()

std::vector<Record> many_records(Kind kind, std::uint64_t seed) {
    std::vector<Record> all;
    for (std::uint64_t i = 0; i < 8; ++i) {
        const std::vector<Record> some = random_records(kind, 8 * seed + i);
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

/// Random settings of a job with a budget, the same on all ranks.
Options random_options(Kind kind, const std::string& folder, std::mt19937_64& random) {
    Options options;
    const double least = kind == Kind::long_keys ? 16 * kLongRecord : 64 << 10U;
    options.memory =
        static_cast<std::size_t>(least * std::exp2(static_cast<double>(random() % 1000) / 1000 * 4));
    options.spill = folder;
    options.strategy = static_cast<Strategy>(random() % 3);
    options.combine = static_cast<CombineWhere>(random() % 4);
    options.combine_switch = random() % 2 == 0;
    options.send_buffer = 1000 + random() % (options.memory / 16);
    return options;
}

std::string describe_budget(const Options& options) {
    return describe(options) + ", memory " + std::to_string(options.memory);
}

/// Sums over all ranks.
std::uint64_t sum_of_all(std::uint64_t mine) {
    std::uint64_t all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, world().get());
    return all;
}

class Spills : public testing::TestWithParam<Kind> {
  protected:
    static constexpr std::uint64_t kSeeds = 2;

    /// Bytes of one key's records that can be too many for a budget; 0: they never can.
    struct Longest {
        std::size_t grouped;
        std::size_t combined;
    };

    /// Runs job(own records, options) with random settings. It must give `expected`; or, where the records of
    /// one key can be too many, an error on all ranks.
    template <class RunJob>
    void check(std::uint64_t seed, Longest longest, const std::vector<Record>& all, const Output& expected,
               RunJob&& run_job) {
        const SharedFolder folder;
        std::mt19937_64 random(seed);
        const std::vector<Record> own = share_of(all, world());
        for (int i = 0; i < 3; ++i) {
            const Options options = random_options(GetParam(), folder.path(), random);
            std::string error;
            Output found;
            RankStats stats;
            try {
                const auto result = run_job(own, options);
                stats = result.stats();
                found = collect_result(world(), result);
            } catch (const JobError& refused) {
                error = refused.what();
            }
            if (!error.empty()) {
                const bool combined =
                    options.combine == CombineWhere::after || options.combine == CombineWhere::both;
                ASSERT_GT(combined ? longest.combined : longest.grouped, options.memory / 8)
                    << describe_budget(options) << ": " << error;
                ASSERT_NE(error.find("memory: the records need"), std::string::npos) << error;
            } else {
                ASSERT_EQ(found, expected) << describe_budget(options);
                EXPECT_LE(stats.kv_bytes_peak, options.memory);
                spilled_ += stats.spilled.record_bytes;
            }
            EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
            MPI_Barrier(world().get());  // the next job makes files there
        }
    }

    void expect_spilled() {
        const std::uint64_t spilled = sum_of_all(spilled_);
        if (GetParam() == Kind::distinct) {
            EXPECT_GT(spilled, 0U) << "the budgets were too large to test anything";
        }
    }

    std::uint64_t spilled_ = 0;
};

TEST_P(Spills, SumsOfFixedSizeValues) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const std::vector<Record> all = many_records(GetParam(), seed);
        std::map<std::string, std::uint64_t> sums;
        std::map<std::string, std::size_t> bytes;
        for (const auto& [key, value] : all) {
            sums[key] += value.size();
            bytes[key] += key.size() + 100;
        }
        Output expected;
        std::size_t longest = 0;
        for (const auto& [key, sum] : sums) {
            expected[key] = std::to_string(sum);
            longest = std::max(longest, bytes[key]);
        }
        const auto sums_by = [](auto reduce) {
            return [=](const std::vector<Record>& own, const Options& options) {
                return map_reduce<std::string_view, std::uint64_t>(
                    MPI_COMM_WORLD, items(own),
                    [](const Record& r, auto& emit) { emit(r.first, r.second.size()); },
                    [](std::uint64_t a, std::uint64_t b) { return a + b; }, reduce, options);
            };
        };
        check(seed, {longest, longest}, all, expected,
              sums_by([](std::string_view, std::span<const std::uint64_t> values) {
                  return std::to_string(std::accumulate(values.begin(), values.end(), std::uint64_t{0}));
              }));
        check(seed, {0, longest}, all, expected,
              sums_by([](std::string_view, const Values<std::uint64_t>& values) {
                  std::uint64_t sum = 0;
                  values.for_each([&](std::uint64_t value) { sum += value; });
                  return std::to_string(sum);
              }));
    }
    expect_spilled();
}

TEST_P(Spills, ListsOfByteStrings) {
    const auto join = [](const auto& sorted) {
        std::string joined;
        for (const auto& value : sorted) {
            joined.append(std::to_string(value.size())).append(1, ':').append(value);
        }
        return joined;
    };
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const std::vector<Record> all = many_records(GetParam(), 100 + seed);
        std::map<std::string, std::multiset<std::string>> lists;
        std::map<std::string, std::size_t> bytes;
        for (const auto& [key, value] : all) {
            lists[key].insert(value);
            bytes[key] += key.size() + value.size() + 100;
        }
        Output expected;
        std::size_t longest = 0;
        for (const auto& [key, values] : lists) {
            expected[key] = join(values);
            longest = std::max(longest, bytes[key]);
        }
        const auto lists_by = [](auto reduce) {
            return [=](const std::vector<Record>& own, const Options& options) {
                return map_reduce<std::string_view, std::string_view>(
                    MPI_COMM_WORLD, items(own), [](const Record& r, auto& emit) { emit(r.first, r.second); },
                    no_combine, reduce, options);
            };
        };
        check(seed, {longest, longest}, all, expected,
              lists_by([=](std::string_view, std::span<const std::string_view> values) {
                  std::vector<std::string_view> sorted(values.begin(), values.end());
                  std::sort(sorted.begin(), sorted.end());
                  return join(sorted);
              }));
        check(seed, {0, 0}, all, expected, lists_by([=](std::string_view, Values<std::string_view> values) {
                  std::vector<std::string> sorted;
                  values.for_each([&](std::string_view value) { sorted.emplace_back(value); });
                  std::sort(sorted.begin(), sorted.end());
                  return join(sorted);
              }));
    }
    expect_spilled();
}

/// The set of all bytes in two strings: commutative, associative, and its result grows.
std::string all_bytes_of(std::string_view a, std::string_view b) {
    std::string bytes(a);
    bytes += b;
    std::sort(bytes.begin(), bytes.end());
    bytes.erase(std::unique(bytes.begin(), bytes.end()), bytes.end());
    return bytes;
}

TEST_P(Spills, CombinedByteStringsThatGrow) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const std::vector<Record> all = many_records(GetParam(), 200 + seed);
        Output expected;
        std::map<std::string, std::size_t> bytes;
        std::size_t longest = 0;
        for (const auto& [key, value] : all) {
            expected[key] = all_bytes_of(expected[key], value);
            bytes[key] += key.size() + value.size() + 100;
            longest = std::max(longest, bytes[key]);
        }
        check(seed, {longest, longest}, all, expected,
              [](const std::vector<Record>& own, const Options& options) {
                  return map_reduce<std::string_view, std::string_view>(
                      MPI_COMM_WORLD, items(own),
                      [](const Record& r, auto& emit) { emit(r.first, r.second); }, &all_bytes_of,
                      [](std::string_view, std::span<const std::string_view> values) {
                          std::string set;
                          for (const std::string_view value : values) {
                              set = all_bytes_of(set, value);
                          }
                          return set;
                      },
                      options);
              });
    }
    expect_spilled();
}

INSTANTIATE_TEST_SUITE_P(AllKinds, Spills, testing::ValuesIn(kKinds));

/// Runs a count of distinct keys, `each` per rank; returns the error's text, which must be the same on all
/// ranks, or "". `before(i)` is called before each record.
std::string error_of_count(
    const Options& options, int each, const std::function<void(int)>& before = [](int) {}) {
    std::vector<int> own(static_cast<std::size_t>(each));
    std::iota(own.begin(), own.end(), 0);
    std::string text;
    try {
        map_reduce<std::string_view, std::uint64_t>(
            MPI_COMM_WORLD, items(own),
            [&](int i, auto& emit) {
                before(i);
                emit(std::to_string(world().rank()) + "-" + std::to_string(i), 1);
            },
            no_combine, [](std::string_view, std::span<const std::uint64_t> ones) { return ones.size(); },
            options);
    } catch (const Error& error) {
        text = error.what();
    }
    std::vector<Record> one;
    if (world().rank() == 0) {
        one.emplace_back("text", text);
    }
    EXPECT_EQ(collect(world(), one)["text"], text);
    return text;
}

void expect_in(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in '" << text << "'";
}

Options small_budget(Strategy strategy, const std::string& folder) {
    Options options;
    options.strategy = strategy;
    options.memory = 200'000;
    options.send_buffer = 10'000;
    options.spill = folder;
    return options;
}

class Budgets : public testing::TestWithParam<Strategy> {};

TEST_P(Budgets, AreRefusedToExceedWithoutAFolder) {
    const std::string text = error_of_count(small_budget(GetParam(), ""), 30'000);
    expect_in(text, "rank ");
    expect_in(text, "memory: the records need 0.2");
    expect_in(text, "the budget (--memory) is 0.200 MB; give --spill a folder");
}

TEST_P(Budgets, HoldWhereOneRecordIsLongerThanThey) {
    Options options = small_budget(GetParam(), "");
    for (const std::string& folder : {std::string(), std::filesystem::temp_directory_path().string()}) {
        options.spill = folder;
        const std::vector<int> own(world().rank() == 0 ? 1 : 0);
        std::string text;
        try {
            map_aggregate<std::string_view, std::string_view>(
                MPI_COMM_WORLD, items(own), [](int, auto& emit) { emit("key", std::string(1'000'000, 'v')); },
                options);
        } catch (const JobError& error) {
            text = error.what();
        }
        expect_in(text, "rank 0: memory: the records need 1.");
    }
}

TEST_P(Budgets, EndTheJobWhereABlockIsDamaged) {
    const SharedFolder folder;
    int damaged = 0;
    const std::string text = error_of_count(small_budget(GetParam(), folder.path()), 30'000, [&](int i) {
        if (world().rank() == 0 && damaged == 0 && i > 20'000) {
            damaged = damage_open_files(folder.path(), 100);
        }
    });
    expect_in(text, "rank 0: spill: a block of ");
    expect_in(text, folder.path() + " is damaged");
}

TEST_P(Budgets, EndTheJobWhereTheFileCannotGrow) {
    const SharedFolder folder;
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit limit = before;
    limit.rlim_cur = 30'000;
    if (world().rank() == world().size() - 1) {
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    const std::string text = error_of_count(small_budget(GetParam(), folder.path()), 30'000);
    setrlimit(RLIMIT_FSIZE, &before);
    expect_in(text, "rank " + std::to_string(world().size() - 1) + ": spill: cannot write 0.0");
    expect_in(text, folder.path());
    expect_in(text, "File too large");
}

TEST_P(Budgets, EndTheJobWhereThereIsNoSuchFolder) {
    const SharedFolder folder;
    Options options = small_budget(GetParam(), folder.path());
    if (world().rank() == world().size() - 1) {
        options.spill += "/missing";
    }
    const std::string text = error_of_count(options, 10);
    expect_in(text,
              "rank " + std::to_string(world().size() - 1) + ": cannot make a file in the spill folder");
    expect_in(text, "/missing: No such file");
}

#if !defined(__SANITIZE_ADDRESS__)  // which ends a process that asks for so much
TEST_P(Budgets, EndTheJobWhereTheSystemHasNoMoreMemory) {
    const volatile std::size_t too_many = std::size_t{1} << 57U;  // words; not for the compiler to see
    const std::string text = error_of_count(small_budget(GetParam(), ""), 2000, [&](int i) {
        if (i == 1000 && world().rank() == world().size() - 1) {
            MemoryMeter meter;
            const WordBuffer memory(meter, too_many);
        }
    });
    expect_in(text,
              "rank " + std::to_string(world().size() - 1) + ": out of memory: 1152921504606.8 MB asked");
    expect_in(text, "asked for in vain, 0.");
    expect_in(text, " MB held in records; use more ranks or nodes");
}
#endif

TEST_P(Budgets, HoldWhereAKeyHasMoreValuesThanThey) {
    constexpr std::uint64_t kEach = 60'000;  // per rank; every second record has the first key
    const SharedFolder folder;
    const Options options = small_budget(GetParam(), folder.path());
    std::vector<std::uint64_t> own(kEach);
    std::iota(own.begin(), own.end(), 0);
    const auto run = [&](auto reduce) {
        return map_reduce<std::uint64_t, std::uint64_t>(
            MPI_COMM_WORLD, items(own),
            [](std::uint64_t i, auto& emit) { emit(i % 2 == 0 ? 0 : i % 2000, i); }, no_combine, reduce,
            options);
    };
    const auto result = run([](std::uint64_t key, const Values<std::uint64_t>& values) {
        std::uint64_t count = 0;
        std::uint64_t sum = 0;
        for (int twice = 0; twice < 2; ++twice) {
            values.for_each([&](std::uint64_t value) {
                EXPECT_EQ(value % 2 == 0 ? 0 : value % 2000, key);
                ++count;
                sum += value;
            });
        }
        EXPECT_EQ(count, 2 * values.size());
        return sum / 2;
    });
    std::uint64_t sum = 0;
    for (const auto& entry : result) {
        sum += entry.second;
    }
    EXPECT_EQ(sum_of_all(sum), kEach * (kEach - 1) / 2 * static_cast<std::uint64_t>(world().size()));
    EXPECT_EQ(sum_of_all(result.size()), 1001U);
    EXPECT_LE(result.stats().kv_bytes_peak, options.memory);
    std::string text;
    try {
        run([](std::uint64_t, std::span<const std::uint64_t> values) { return values.size(); });
    } catch (const Error& error) {
        text = error.what();
    }
    expect_in(text, "memory: the records need ");
}

INSTANTIATE_TEST_SUITE_P(AllExchanges, Budgets,
                         testing::Values(Strategy::partition_full, Strategy::by_fill, Strategy::adaptive));

TEST(Refusals, NameWhatCannotBeCombined) {
    const auto refused = [](auto&& change, const std::string& part) {
        Options options = small_budget(Strategy::partition_full, "/tmp");
        change(options);
        expect_in(error_of_count(options, 1), part);
    };
    refused([](Options& o) { o.balance = Balance::split; }, "cannot be combined with --balance split");
    refused([](Options& o) { o.balance = Balance::repartition; },
            "cannot be combined with --balance repartition");
    refused([](Options& o) { o.pipeline = Pipeline::staged; }, "cannot be combined with --pipeline staged");
    refused([](Options& o) { o.memory = 0; }, "give --memory as well");
    refused([](Options& o) { o.send_buffer = 60'000; }, "must not be more than a quarter");
    refused([](Options& o) { o.memory = 1000; }, "at least 64 KiB");
}

}  // namespace
}  // namespace kvasir::test
