#pragma once
// The main function of a program of the engine.

#include <functional>

#include "kvasir/mpi.hpp"

namespace kvasir {

/// Starts MPI, calls body(world) on every process and returns what it returns, the exit code. An Error, which
/// all ranks throw together, is printed once ("error: ..." on stderr) and makes the exit code 1. Any other
/// exception, and one of MPI itself, ends all ranks at once. The heap grows in large pages (memory.hpp).
int run_program(int argc, char** argv, const std::function<int(const Communicator&)>& body);

}  // namespace kvasir
