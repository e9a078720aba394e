#include "kvasir/wait.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "kvasir/clock.hpp"

namespace kvasir {

Pauses::Pauses() { restart(); }

void Pauses::restart() { begin_ = PhaseClock::monotonic(); }

void Pauses::pause() const {
    constexpr double spin =
        1e-4;  // s: what comes so soon costs no sleep, which is never shorter than some 0.05 ms
    constexpr double share =
        1.0 / 8;  // of the time waited: a wait is at most this much longer than with no sleep
    constexpr double longest = 8e-3;  // a message of 1 MiB over 25 Mbit/s: 90 looks instead of 375
    const double waited = PhaseClock::monotonic() - begin_;
    if (waited >= spin) {
        std::this_thread::sleep_for(std::chrono::duration<double>(std::min(share * waited, longest)));
    }
}

void wait(std::vector<MPI_Request>& requests, const char* call) {
    wait([&] {
        int done = 0;
        check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
                  call);
        return done != 0;
    });
}

void wait(MPI_Request& request, const char* call) {
    wait([&] {
        int done = 0;
        check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), call);
        return done != 0;
    });
}

void barrier(const Communicator& comm) { complete("MPI_Ibarrier", MPI_Ibarrier, comm.get()); }

}  // namespace kvasir
