// Jobs of random inputs, options and numbers of ranks against the reference. Each run draws others: a failure
// names its seed, and KVASIR_TEST_SEED repeats it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>

#include "reference.hpp"
#include "world.hpp"

namespace kvasir::test {
namespace {

constexpr int kCases = 60;

/// A seed that all ranks share: the one that is asked for, or another one each time. Collective.
std::uint64_t new_seed() {
    const char* asked = std::getenv("KVASIR_TEST_SEED");
    std::uint64_t seed = asked != nullptr ? std::strtoull(asked, nullptr, 10) : std::random_device{}();
    complete("MPI_Ibcast", MPI_Ibcast, &seed, 1, MPI_UINT64_T, 0, world().get());
    return seed;
}

/// The first ranks of all, some number of them. Collective over all; the others get nothing.
std::unique_ptr<Communicator> some_ranks(int ranks) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(world().get(), world().rank() < ranks ? 0 : MPI_UNDEFINED, world().rank(), &part);
    std::unique_ptr<Communicator> found;
    if (part != MPI_COMM_NULL) {
        found = std::make_unique<Communicator>(part);
        MPI_Comm_free(&part);
    }
    return found;
}

/// A number from `least` to `most`, every power of two as probable as any other.
std::size_t scaled(std::mt19937_64& random, double least, double most) {
    const double power = std::uniform_real_distribution(std::log2(least), std::log2(most))(random);
    return static_cast<std::size_t>(std::exp2(power));
}

template <class T, std::size_t N>
T one_of(std::mt19937_64& random, const T (&values)[N]) {
    return values[random() % N];
}

Options random_options(std::mt19937_64& random, bool combiner, int ranks) {
    Options options;
    options.strategy = one_of(random, {Strategy::partition_full, Strategy::by_fill, Strategy::adaptive});
    options.pipeline = one_of(random, {Pipeline::pipelined, Pipeline::staged});
    options.balance = combiner ? one_of(random, {Balance::hash, Balance::repartition, Balance::split})
                               : one_of(random, {Balance::hash, Balance::repartition});
    options.combine =
        one_of(random, {CombineWhere::none, CombineWhere::before, CombineWhere::after, CombineWhere::both});
    options.combine_switch = random() % 2 == 0;
    options.send_buffer = scaled(random, 8.0 * ranks, 1 << 18);
    options.combine_cache = scaled(random, 8, 1 << 18);
    options.in_flight = static_cast<int>(2 + random() % 3);
    options.balance_first = scaled(random, 1, 4096);
    options.balance_factor = 1 + static_cast<double>(random() % 100) / 100;
    options.message_words = random() % 2 == 0 ? 0 : scaled(random, 1, 1000);
    return options;
}

/// Records of random kinds, one after the other.
std::vector<Record> mixed_records(std::mt19937_64& random) {
    std::vector<Record> all;
    for (std::uint64_t parts = 1 + random() % 3; parts != 0; --parts) {
        const Kind kind = kKinds[random() % std::size(kKinds)];
        std::vector<Record> some = random_records(kind, random());
        some.resize(std::min<std::size_t>(some.size(), random() % 2500));
        all.insert(all.end(), some.begin(), some.end());
    }
    std::shuffle(all.begin(), all.end(), random);
    return all;
}

std::string joined(std::vector<std::string_view> values) {
    std::sort(values.begin(), values.end());
    std::string text;
    for (const std::string_view value : values) {
        text.append(std::to_string(value.size())).append(1, ':').append(value);
    }
    return text;
}

Output lists_of(const std::vector<Record>& all) {
    std::map<std::string, std::vector<std::string_view>> lists;
    for (const auto& [key, value] : all) {
        lists[key].push_back(value);
    }
    Output output;
    for (const auto& [key, values] : lists) {
        output[key] = joined(values);
    }
    return output;
}

Output sums_of(const std::vector<Record>& all) {
    std::map<std::string, std::uint64_t> sums;
    for (const auto& [key, value] : all) {
        sums[key] += value.size();
    }
    Output output;
    for (const auto& [key, sum] : sums) {
        output[key] = std::to_string(sum);
    }
    return output;
}

Output lists_by_engine(const Communicator& comm, const std::vector<Record>& own, const Options& options) {
    return collect_result(comm, map_reduce<std::string_view, std::string_view>(
                                    comm.get(), items(own),
                                    [](const Record& r, auto& emit) { emit(r.first, r.second); }, no_combine,
                                    [](std::string_view, std::span<const std::string_view> values) {
                                        return joined({values.begin(), values.end()});
                                    },
                                    options));
}

Output sums_by_engine(const Communicator& comm, const std::vector<Record>& own, const Options& options) {
    return collect_result(
        comm, map_reduce<std::string_view, std::uint64_t>(
                  comm.get(), items(own), [](const Record& r, auto& emit) { emit(r.first, r.second.size()); },
                  [](std::uint64_t a, std::uint64_t b) { return a + b; },
                  [](std::string_view, std::span<const std::uint64_t> values) {
                      return std::to_string(std::accumulate(values.begin(), values.end(), std::uint64_t{0}));
                  },
                  options));
}

/// The share of a rank: from one random border to the next.
std::vector<Record> random_share(const std::vector<Record>& all, const Communicator& comm,
                                 std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<std::size_t> borders{0, all.size()};
    for (int rank = 1; rank < comm.size(); ++rank) {
        borders.push_back(random() % (all.size() + 1));
    }
    std::sort(borders.begin(), borders.end());
    const auto at = static_cast<std::size_t>(comm.rank());
    return {all.begin() + static_cast<std::ptrdiff_t>(borders[at]),
            all.begin() + static_cast<std::ptrdiff_t>(borders[at + 1])};
}

/// Runs one job on the first `ranks` ranks; returns what is wrong with it, or nothing. Collective over all.
std::string run_case(std::mt19937_64& random) {
    const int ranks = static_cast<int>(1 + random() % static_cast<std::uint64_t>(world().size()));
    const bool combiner = random() % 2 == 0;
    const Options options = random_options(random, combiner, ranks);
    const std::vector<Record> all = mixed_records(random);
    const std::uint64_t shares = random();
    const std::unique_ptr<Communicator> comm = some_ranks(ranks);
    if (!comm) {
        return "";
    }
    std::string wrong;
    try {
        const std::vector<Record> own = random_share(all, *comm, shares);
        const Output found =
            combiner ? sums_by_engine(*comm, own, options) : lists_by_engine(*comm, own, options);
        if (found == (combiner ? sums_of(all) : lists_of(all))) {
            return "";
        }
        wrong = "another result";
    } catch (const std::exception& error) {
        wrong = error.what();
    }
    return wrong + ": " + std::to_string(ranks) + " ranks, " + (combiner ? "sums, " : "lists, ") +
           describe(options) + ", cache " + std::to_string(options.combine_cache) + ", in flight " +
           std::to_string(options.in_flight) + ", balance at " + std::to_string(options.balance_first) +
           " by " + std::to_string(options.balance_factor);
}

TEST(RandomJobs, ResultsAreThoseOfTheReference) {
    const std::uint64_t seed = new_seed();
    std::mt19937_64 random(seed);  // the same numbers on all ranks
    for (int i = 0; i < kCases; ++i) {
        const std::string wrong = run_case(random);
        EXPECT_EQ(wrong, "") << "KVASIR_TEST_SEED=" << seed << ", case " << i;
        const int failed = wrong.empty() ? 0 : 1;
        int failed_on_any = 0;
        complete("MPI_Iallreduce", MPI_Iallreduce, &failed, &failed_on_any, 1, MPI_INT, MPI_MAX,
                 world().get());
        if (failed_on_any != 0) {
            return;
        }
    }
}

}  // namespace
}  // namespace kvasir::test
