#include "kvasir/iterate.hpp"

namespace kvasir {

double sum_over_ranks(const Communicator& comm, double own) {
    double sum = 0;
    check_mpi(MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, comm.get()), "MPI_Allreduce");
    return sum;
}

}  // namespace kvasir
