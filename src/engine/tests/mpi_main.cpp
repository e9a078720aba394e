// main() of tests that run under MPI: every rank runs every test, and a failure on any rank fails the
// program.

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>

namespace {

/// On ranks other than 0 only failures are worth a line.
class FailurePrinter : public testing::EmptyTestEventListener {
    void OnTestPartResult(const testing::TestPartResult& result) override {
        if (result.failed()) {
            int rank = 0;
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            (void)std::fprintf(stderr, "rank %d: %s:%d: %s\n", rank, result.file_name(), result.line_number(),
                               result.summary());
        }
    }
};

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    testing::InitGoogleTest(&argc, argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    if (rank != 0) {
        delete listeners.Release(listeners.default_result_printer());
        listeners.Append(new FailurePrinter);
    }
    const int mine = RUN_ALL_TESTS();
    int worst = 0;
    MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (worst != 0) {  // so that a rank that ends otherwise can be told from one with a failed test
        (void)std::fprintf(stderr, "rank %d: tests failed on %s\n", rank,
                           mine != 0 ? "this rank" : "another rank");
    }
    MPI_Finalize();
    return worst;
}
