#include "kvasir/detail/round_requests.hpp"

#include "kvasir/wait.hpp"

namespace kvasir::detail {
namespace {
constexpr int kTag = 1;
}  // namespace

RoundRequests::RoundRequests(const Communicator& comm) : comm_(comm) { listen(); }

RoundRequests::~RoundRequests() {
    if (incoming_ != MPI_REQUEST_NULL) {
        MPI_Cancel(&incoming_);
        MPI_Wait(&incoming_, MPI_STATUS_IGNORE);  // for nobody: the end of a cancelled receive is local
    }
}

void RoundRequests::listen() {
    check_mpi(MPI_Irecv(&received_round_, 1, MPI_UINT64_T, MPI_ANY_SOURCE, kTag, comm_.get(), &incoming_),
              "MPI_Irecv");
}

void RoundRequests::ask(std::uint64_t round) {
    complete();
    asked_round_ = round;
    ++asks_;
    for (int rank = 0; rank < comm_.size(); ++rank) {
        if (rank != comm_.rank()) {
            outgoing_.emplace_back();
            check_mpi(MPI_Isend(&asked_round_, 1, MPI_UINT64_T, rank, kTag, comm_.get(), &outgoing_.back()),
                      "MPI_Isend");
        }
    }
}

void RoundRequests::complete() {
    if (!outgoing_.empty()) {
        kvasir::wait(outgoing_, "MPI_Isend");
        outgoing_.clear();
    }
}

bool RoundRequests::asked(std::uint64_t round) {
    while (true) {
        int done = arrived_ ? 1 : 0;
        if (!arrived_) {
            check_mpi(MPI_Test(&incoming_, &done, MPI_STATUS_IGNORE), "MPI_Test");
        }
        if (done == 0) {
            return false;
        }
        arrived_ = false;
        ++heard_;
        const bool wanted = received_round_ == round;
        listen();
        if (wanted) {
            return true;
        }
    }
}

void RoundRequests::enter_barrier() { check_mpi(MPI_Ibarrier(comm_.get(), &barrier_), "MPI_Ibarrier"); }

bool RoundRequests::wait() {
    MPI_Request both[2] = {incoming_, barrier_};
    int which = 0;
    kvasir::wait([&] {
        int done = 0;
        check_mpi(MPI_Testany(2, both, &which, &done, MPI_STATUS_IGNORE), "MPI_Testany");
        return done != 0;
    });
    incoming_ = both[0];
    barrier_ = both[1];
    arrived_ = which == 0;
    return which == 1;
}

void RoundRequests::drain(std::uint64_t sent) {
    while (heard_ < sent) {
        if (!arrived_) {
            kvasir::wait(incoming_, "MPI_Irecv");
        }
        arrived_ = false;
        ++heard_;
        listen();
    }
}

}  // namespace kvasir::detail
