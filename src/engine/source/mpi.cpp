#include "kvasir/mpi.hpp"

#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "kvasir/error.hpp"
#include "kvasir/wait.hpp"

namespace kvasir {
namespace {

#ifdef OPEN_MPI
/// Returns a variable's text, empty where it is not set.
std::string from_environment(const char* name) {
    const char* text = std::getenv(name);
    return text == nullptr ? "" : text;
}

/// Says whether all ranks run on this host, by what mpirun, or srun, tells each of them. False where it is
/// not known.
bool ranks_share_host() {
    const std::string ranks = from_environment("OMPI_COMM_WORLD_SIZE");
    if (!ranks.empty()) {
        return ranks == from_environment("OMPI_COMM_WORLD_LOCAL_SIZE");
    }
    const std::string hosts = from_environment("SLURM_STEP_NUM_NODES");
    return hosts.empty() ? from_environment("PMIX_RANK").empty() && from_environment("PMI_RANK").empty()
                         : hosts == "1";
}

/// Keeps a short job's start short; what the user has set is kept.
void configure_open_mpi() {
    // A program without a launcher is a job of one rank. The daemon that Open MPI would start beside it is
    // for MPI_Comm_spawn.
    ::setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
    // Ranks of one host need no network: probing its libraries (UCX, libfabric) is half of the start.
    if (!ranks_share_host() || !from_environment("OMPI_MCA_pml").empty() ||
        !from_environment("OMPI_MCA_btl").empty()) {
        return;
    }
    ::setenv("OMPI_MCA_pml", "ob1", 0);
    ::setenv("OMPI_MCA_btl", "self,vader,tcp", 0);  // tcp: where there is no room for shared memory
}
#else
void configure_open_mpi() {}
#endif

}  // namespace

void check_mpi(int code, const char* call) {
    if (code == MPI_SUCCESS) {
        return;
    }
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    throw MpiError(std::string(call) + ": " + std::string(text.data(), static_cast<std::size_t>(length)));
}

MpiEnvironment::MpiEnvironment(int& argc, char**& argv) {
    configure_open_mpi();
    check_mpi(MPI_Init(&argc, &argv), "MPI_Init");
}

MpiEnvironment::~MpiEnvironment() { MPI_Finalize(); }

Communicator::Communicator(MPI_Comm parent) {
    complete("MPI_Comm_idup", MPI_Comm_idup, parent, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
}

Communicator::~Communicator() { MPI_Comm_free(&comm_); }

SharedCounter::SharedCounter(const Communicator& comm) : comm_(comm) {
    barrier(comm);
    const MPI_Aint bytes = comm.rank() == 0 ? sizeof(std::uint64_t) : 0;
    check_mpi(MPI_Win_allocate(bytes, sizeof(std::uint64_t), MPI_INFO_NULL, comm.get(), &value_, &window_),
              "MPI_Win_allocate");
    if (comm.rank() == 0) {
        *value_ = 0;
    }
    barrier(comm);
    check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_), "MPI_Win_lock_all");
}

SharedCounter::~SharedCounter() {
    MPI_Win_unlock_all(window_);
    MPI_Request all = MPI_REQUEST_NULL;
    int done = 0;
    if (MPI_Ibarrier(comm_.get(), &all) == MPI_SUCCESS) {
        wait([&] { return MPI_Test(&all, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0; });
    }
    MPI_Win_free(&window_);
}

std::uint64_t SharedCounter::next() {
    const std::uint64_t one = 1;
    std::uint64_t before = 0;
    // Not MPI_Fetch_and_op: that has no request to wait for, and a flush looks without a pause.
    complete("MPI_Rget_accumulate", MPI_Rget_accumulate, &one, 1, MPI_UINT64_T, &before, 1, MPI_UINT64_T, 0,
             MPI_Aint{0}, 1, MPI_UINT64_T, MPI_SUM, window_);
    return before;
}

void agree_on_success(const Communicator& comm, const std::string& cause) {
    const int mine = cause.empty() ? INT_MAX : comm.rank();
    int failed = INT_MAX;
    complete("MPI_Iallreduce", MPI_Iallreduce, &mine, &failed, 1, MPI_INT, MPI_MIN, comm.get());
    if (failed == INT_MAX) {
        return;
    }
    int length = static_cast<int>(cause.size());
    complete("MPI_Ibcast", MPI_Ibcast, &length, 1, MPI_INT, failed, comm.get());
    std::string text = cause;
    text.resize(static_cast<std::size_t>(length));
    complete("MPI_Ibcast", MPI_Ibcast, text.data(), length, MPI_CHAR, failed, comm.get());
    throw JobError(failed, text);
}

double sum_over_ranks(const Communicator& comm, double own) {
    double sum = 0;
    complete("MPI_Iallreduce", MPI_Iallreduce, &own, &sum, 1, MPI_DOUBLE, MPI_SUM, comm.get());
    return sum;
}

std::uint64_t sum_over_ranks(const Communicator& comm, std::uint64_t own) {
    std::uint64_t sum = 0;
    complete("MPI_Iallreduce", MPI_Iallreduce, &own, &sum, 1, MPI_UINT64_T, MPI_SUM, comm.get());
    return sum;
}

void abort_job(const Communicator& comm, const std::string& cause) {
    (void)std::fprintf(stderr, "error: rank %d: %s\n", comm.rank(), cause.c_str());
    (void)std::fflush(stderr);
    MPI_Abort(comm.get(), 1);
    std::terminate();
}

}  // namespace kvasir
