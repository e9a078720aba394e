// Sums the squares of the numbers of all ranks by their last digit.

#include <cstdint>
#include <iostream>
#include <kvasir/map_reduce.hpp>
#include <kvasir/mpi.hpp>
#include <numeric>
#include <span>
#include <vector>

int main(int argc, char** argv) {
    kvasir::MpiEnvironment mpi(argc, argv);
    std::vector<std::uint64_t> numbers(100);
    std::iota(numbers.begin(), numbers.end(), 0);
    auto sums = kvasir::map_reduce<std::uint64_t, std::uint64_t>(
        MPI_COMM_WORLD, kvasir::items(numbers),
        [](std::uint64_t number, auto& emit) { emit(number % 10, number * number); },
        [](std::uint64_t a, std::uint64_t b) { return a + b; },
        [](std::uint64_t, std::span<const std::uint64_t> values) {
            return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
        });
    for (auto [digit, sum] : sums) {
        std::cout << digit << ' ' << sum << std::endl;
    }
}
