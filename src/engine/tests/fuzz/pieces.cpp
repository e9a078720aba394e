// Texts in files, cut into chunks and read in slices of any size, against the plain tokeniser.

#include <mpi.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "input.hpp"
#include "kvasir/clock.hpp"
#include "kvasir/input.hpp"
#include "plain.hpp"

namespace {

using namespace kvasir;

/// The process as the only rank, and a file for the text.
struct World {
    World() {
        MPI_Init(nullptr, nullptr);
        comm = new Communicator(MPI_COMM_WORLD);
        path =
            (std::filesystem::temp_directory_path() / ("kvasir-fuzz-" + std::to_string(getpid()))).string();
        (void)std::atexit([] { std::filesystem::remove(world().path); });
    }
    /// Never destroyed: it is used until the process ends, and MPI ends with that.
    static World& world() {
        static auto* one = new World;
        return *one;
    }

    const Communicator* comm = nullptr;
    std::string path;
};

template <class Separator>
void compare(std::string_view text, const Options& options) {
    std::vector<std::string> tokens;
    PhaseClock clock;
    Counters counters;
    auto reader = Text<Separator>{{World::world().path}, {}}.open(*World::world().comm, options);
    while (reader.next(clock, counters, [&](std::string_view token) { tokens.emplace_back(token); })) {
    }
    fuzz::check(tokens == fuzz::plain_tokens<Separator>(text),
                "tokens of pieces differ from those of the text");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    Options options;
    options.input = InputMode::dynamic;
    options.chunk = 64U + input.byte();
    options.slice = 64U + input.byte();
    const std::string_view text = input.rest();
    std::ofstream(World::world().path, std::ios::binary) << text;
    compare<WhiteSpace>(text, options);
    compare<LineFeed>(text, options);
    return 0;
}
