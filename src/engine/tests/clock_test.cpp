// Time of a rank by phase: which phases interleave.

#include "kvasir/clock.hpp"

#include <gtest/gtest.h>

namespace kvasir::test {
namespace {

TEST(PhaseClock, PhasesThatInterleaveOverlap) {
    PhaseClock clock;
    clock.enter(Phase::map);
    clock.enter(Phase::aggregate);
    clock.enter(Phase::map);
    clock.enter(Phase::aggregate);
    clock.enter(Phase::other);
    EXPECT_GT(clock.overlap(Phase::map, Phase::aggregate), 0);
}

TEST(PhaseClock, PhasesOneAfterTheOtherDoNot) {
    PhaseClock clock;
    clock.enter(Phase::convert);
    clock.enter(Phase::other);
    clock.enter(Phase::reduce);
    clock.enter(Phase::other);
    EXPECT_LT(clock.overlap(Phase::convert, Phase::reduce), 0);
    EXPECT_EQ(clock.overlap(Phase::map, Phase::aggregate), 0);
}

}  // namespace
}  // namespace kvasir::test
