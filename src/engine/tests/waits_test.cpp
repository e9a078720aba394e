// Ranks that wait for a slow one leave their core to others.

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "kvasir/map_reduce.hpp"
#include "kvasir/report.hpp"
#include "kvasir/wait.hpp"
#include "world.hpp"

namespace kvasir::test {
namespace {

constexpr double kSlow = 0.5;  // s

void sleep_on_rank_0() {
    if (world().rank() == 0) {
        std::this_thread::sleep_for(std::chrono::duration<double>(kSlow));
    }
}

/// All ranks but the slow one waited for it, and were on a core for little of that time.
void expect_idle(const Spent& spent, const char* what) {
    if (world().rank() != 0) {
        EXPECT_GT(spent.wall, 0) << what;
        EXPECT_LT(spent.cpu, kSlow / 2) << what;
    }
}

TEST(Waits, ForASlowMapTakeNoCore) {
    for (const Strategy strategy : {Strategy::partition_full, Strategy::by_fill}) {
        Options options;
        options.strategy = strategy;
        barrier(world());
        const std::vector<int> own(3, world().rank());
        bool slept = false;
        const auto result = map_reduce<int, int>(
            MPI_COMM_WORLD, items(own),
            [&](int i, auto& emit) {
                if (!slept) {
                    sleep_on_rank_0();
                    slept = true;
                }
                emit(i, 1);
            },
            no_combine, [](int, std::span<const int> ones) { return ones.size(); }, options);
        expect_idle(result.stats().clock.spent(Phase::wait_aggregate), name_of(strategy).c_str());
    }
}

TEST(Waits, ForASlowReduceTakeNoCore) {
    barrier(world());
    PhaseClock clock;
    clock.enter(Phase::wait_barrier);
    sleep_on_rank_0();
    agree_on_success(world(), "");
    clock.enter(Phase::other);
    expect_idle(clock.spent(Phase::wait_barrier), "agreement");
}

TEST(Waits, ForTextsTakeNoCore) {
    barrier(world());
    PhaseClock clock;
    clock.enter(Phase::wait_barrier);
    sleep_on_rank_0();
    (void)gather_texts(world(), "text");
    barrier(world());
    clock.enter(Phase::other);
    expect_idle(clock.spent(Phase::wait_barrier), "texts");
}

TEST(Waits, EndWhenAllMessagesHaveArrived) {
    std::vector<int> received(static_cast<std::size_t>(world().size()), -1);
    std::vector<MPI_Request> requests;
    const int own = world().rank();
    for (int rank = 0; rank < world().size(); ++rank) {
        requests.emplace_back();
        MPI_Irecv(&received[static_cast<std::size_t>(rank)], 1, MPI_INT, rank, 0, world().get(),
                  &requests.back());
        requests.emplace_back();
        MPI_Isend(&own, 1, MPI_INT, rank, 0, world().get(), &requests.back());
    }
    wait(requests, "MPI_Irecv");
    for (int rank = 0; rank < world().size(); ++rank) {
        EXPECT_EQ(received[static_cast<std::size_t>(rank)], rank);
    }
    std::vector<MPI_Request> none;
    wait(none, "MPI_Irecv");
}

TEST(Waits, NameTheCallThatFails) {
    try {
        complete("MPI_Ibcast", MPI_Ibcast, static_cast<void*>(nullptr), 1, MPI_CHAR, world().size(),
                 world().get());
        FAIL() << "there is no such rank";
    } catch (const MpiError& error) {
        EXPECT_EQ(std::string(error.what()).rfind("MPI_Ibcast: ", 0), 0U) << error.what();
    }
}

}  // namespace
}  // namespace kvasir::test
