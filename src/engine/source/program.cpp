#include "kvasir/program.hpp"

#include <cstdio>

#include "kvasir/error.hpp"
#include "kvasir/memory.hpp"

namespace kvasir {

int run_program(int argc, char** argv, const std::function<int(const Communicator&)>& body) {
    grow_heap_in_large_pages();
    const MpiEnvironment environment(argc, argv);
    const Communicator world(MPI_COMM_WORLD);
    try {
        return body(world);
    } catch (const MpiError& error) {  // not on all ranks: the others would wait for ever
        abort_job(world, error.what());
    } catch (const Error& error) {  // on all ranks
        if (world.rank() == 0) {
            (void)std::fprintf(stderr, "error: %s\n", error.what());
        }
        return 1;
    } catch (const std::exception& error) {
        abort_job(world, error.what());
    }
}

}  // namespace kvasir
