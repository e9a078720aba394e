// A failure on one rank ends the job on all ranks, with the same text, whatever the others are doing.

#include <gtest/gtest.h>

#include "reference.hpp"
#include "world.hpp"

namespace kvasir::test {
namespace {

enum class Where { map, combine, reduce };

class Failures : public testing::TestWithParam<Where> {};

TEST_P(Failures, AreTheSameOnAllRanks) {
    const std::vector<Record> all = random_records(Kind::skewed, 1);
    const std::vector<Record> own = share_of(all, world());
    const std::size_t enough = own.size() / 2;
    for (int failing = 0; failing < world().size(); ++failing) {
        if (share_of(all, world()).empty() && world().size() == 1) {
            continue;
        }
        for (const Options& options : all_options(true)) {
            std::size_t calls = 0;
            const auto maybe_fail = [&](Where here) {
                // The last of several ranks has no input; its reduce may run all the same.
                if (here == GetParam() && world().rank() == failing &&
                    ++calls > (here == Where::map ? enough : 3)) {
                    throw std::runtime_error("no way");
                }
            };
            std::string text;
            try {
                map_reduce<std::string_view, std::uint64_t>(
                    MPI_COMM_WORLD, items(own),
                    [&](const Record& r, auto& emit) {
                        maybe_fail(Where::map);
                        emit(r.first, 1);
                    },
                    [&](std::uint64_t a, std::uint64_t b) {
                        maybe_fail(Where::combine);
                        return a + b;
                    },
                    [&](std::string_view, std::span<const std::uint64_t> ones) {
                        maybe_fail(Where::reduce);
                        return ones.size();
                    },
                    options);
            } catch (const JobError& error) {
                text = error.what();
            }
            // Whether that rank gets to fail depends on the keys it has; but all ranks must agree.
            int failed = text.empty() ? 0 : 1;
            int all_failed = 0;
            complete("MPI_Iallreduce", MPI_Iallreduce, &failed, &all_failed, 1, MPI_INT, MPI_SUM,
                     world().get());
            ASSERT_TRUE(all_failed == 0 || all_failed == world().size()) << describe(options);
            if (failed != 0) {
                ASSERT_EQ(text, "rank " + std::to_string(failing) + ": no way") << describe(options);
            }
            if (GetParam() == Where::map && failing == 0) {
                ASSERT_EQ(failed, 1) << describe(options);
            }
            if (GetParam() == Where::combine && options.combine == CombineWhere::none &&
                options.balance != Balance::split) {
                ASSERT_EQ(failed, 0) << describe(options);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Everywhere, Failures, testing::Values(Where::map, Where::combine, Where::reduce));

std::string error_of(const std::vector<std::string>& paths, const Options& options = {}) {
    try {
        map_aggregate<std::string_view, int>(
            MPI_COMM_WORLD, words(paths), [](auto word, auto& emit) { emit(word, 1); }, options);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Files, ThatCannotBeReadAreNamed) {
    EXPECT_EQ(error_of({"/does/not/exist"}),
              "rank 0: cannot read /does/not/exist: No such file or directory");
    EXPECT_EQ(error_of({"/dev/null"}), "rank 0: cannot read /dev/null: neither a regular file nor a folder");
}

TEST(Files, ThatShrinkWhileTheyAreReadAreNamed) {
    const SharedFolder folder;
    const std::string file = folder.write("text", std::string(100'000, 'a') + " b");
    Text<WhiteSpace> input = words({file});
    bool first = true;
    input.before_slice = [&] {
        if (world().rank() == 0 && first) {
            std::filesystem::resize_file(file, 10);
        }
        first = false;
    };
    std::string text;
    try {
        map_aggregate<std::string_view, int>(MPI_COMM_WORLD, input,
                                             [](auto word, auto& emit) { emit(word, 1); });
    } catch (const Error& error) {
        text = error.what();
    }
    EXPECT_NE(text.find(file + ": it became shorter while it was being read"), std::string::npos) << text;
}

TEST(Settings, ThatMakeNoSenseAreRefusedOnAllRanks) {
    Options options;
    options.send_buffer = 1;
    EXPECT_NE(error_of({"/etc/hostname"}, options).find("send buffer: 1 bytes"), std::string::npos);
}

}  // namespace
}  // namespace kvasir::test
