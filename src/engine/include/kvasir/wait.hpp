#pragma once
// Waits for other ranks that give the core away. MPI's own waits look for the end of a call without a pause,
// so that a rank that only waits takes a whole core from those that compute, and its CPU time and energy are
// not its work's.

#include <mpi.h>

#include <vector>

#include "kvasir/mpi.hpp"

namespace kvasir {

/// Pauses between two looks at something that other ranks bring about.
class Pauses {
  public:
    Pauses();

    /// Returns at once in the first 0.1 ms of a wait; later it sleeps for an eighth of the time waited so
    /// far, but at most 8 ms.
    void pause() const;
    /// Begins a new wait.
    void restart();

  private:
    double begin_ = 0;
};

/// Waits until `ready()` returns true. `ready` has to call MPI, which makes progress in its calls only.
template <class Ready>
void wait(Ready&& ready) {
    for (const Pauses pauses; !ready();) {
        pauses.pause();
    }
}

/// Waits for the end of all `requests`. Throws MpiError that names `call`, the function that began them.
void wait(std::vector<MPI_Request>& requests, const char* call);

/// Waits for the end of one request.
void wait(MPI_Request& request, const char* call);

/// Calls a nonblocking function of MPI, `function(arguments..., &request)`, and waits for its end. Throws
/// MpiError that names `call`, the name of the function.
template <class... Parameters, class... Arguments>
void complete(const char* call, int (*function)(Parameters...), Arguments... arguments) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(function(arguments..., &request), call);
    wait(request, call);
}

/// Waits for all ranks of a communicator.
void barrier(const Communicator& comm);

}  // namespace kvasir
