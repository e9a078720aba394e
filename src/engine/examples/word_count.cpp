#include <cstdio>
#include <kvasir/map_reduce.hpp>
#include <kvasir/program.hpp>
#include <kvasir/top.hpp>
#include <numeric>
#include <vector>

// Prints the ten commonest words of the files and folders that it is given.
int main(int argc, char** argv) {
    return kvasir::run_program(argc, argv, [&](const kvasir::Communicator& comm) {
        const auto counts = kvasir::map_reduce<std::string_view, std::uint64_t>(
            comm.get(), kvasir::words({argv + 1, argv + argc}),
            [](auto word, auto& emit) { emit(word, 1); },                // map
            [](std::uint64_t a, std::uint64_t b) { return a + b; },      // combine
            [](std::string_view, std::span<const std::uint64_t> ones) {  // reduce
                return std::accumulate(ones.begin(), ones.end(), std::uint64_t{0});
            });
        for (const auto& [word, count] : kvasir::top(comm, counts, 10)) {
            std::printf("%s %lu\n", word.c_str(), count);
        }
        return 0;
    });
}
