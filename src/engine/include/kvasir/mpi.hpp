#pragma once
// Owning wrappers for the few MPI objects the engine uses. MPI-3 calls only.

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <string>

namespace kvasir {

/// Throws Error with MPI's own text when `code` is not MPI_SUCCESS. `call` is the name of the MPI function.
void check_mpi(int code, const char* call);

/// Initialises MPI for the life of the object (one thread calls MPI).
class MpiEnvironment {
  public:
    MpiEnvironment(int& argc, char**& argv);
    ~MpiEnvironment();
    MpiEnvironment(const MpiEnvironment&) = delete;
    MpiEnvironment& operator=(const MpiEnvironment&) = delete;
};

/// Duplicate of a communicator: messages of the engine never meet those of the caller.
class Communicator {
  public:
    explicit Communicator(MPI_Comm parent);
    ~Communicator();
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;

    MPI_Comm get() const { return comm_; }
    int rank() const { return rank_; }
    int size() const { return size_; }

  private:
    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
};

/// Counter on rank 0 that every rank can advance without rank 0 taking part (MPI RMA).
class SharedCounter {
  public:
    explicit SharedCounter(const Communicator& comm);
    ~SharedCounter();
    SharedCounter(const SharedCounter&) = delete;
    SharedCounter& operator=(const SharedCounter&) = delete;

    /// Adds one; returns the value before.
    std::uint64_t next();

  private:
    const Communicator& comm_;
    MPI_Win window_ = MPI_WIN_NULL;
    std::uint64_t* value_ = nullptr;
};

/// Tells all ranks whether one of them failed. `cause` is empty where all is well. Collective, synchronising.
/// Throws JobError with the text of the lowest rank that failed, on every rank.
void agree_on_success(const Communicator& comm, const std::string& cause);

/// Runs `action`; if it throws on any rank, all ranks throw the same JobError. Collective, synchronising.
template <class Action>
void together(const Communicator& comm, Action&& action) {
    std::string cause;
    try {
        action();
    } catch (const std::exception& error) {
        cause = error.what();
        cause = cause.empty() ? "an exception without text" : cause;
    }
    agree_on_success(comm, cause);
}

/// Returns the sum of all ranks' values, on all ranks. Collective.
double sum_over_ranks(const Communicator& comm, double own);
std::uint64_t sum_over_ranks(const Communicator& comm, std::uint64_t own);

/// Prints `cause` and aborts the whole job with exit code 1, where ranks can no longer agree.
[[noreturn]] void abort_job(const Communicator& comm, const std::string& cause);

}  // namespace kvasir
