// GroupByKey: the whole of MapReduce without combiner. Reduce is handed a list of ones for every word. (The
// sum is known to the engine only for the merging of keys that --balance split has spread over ranks.)

#include "app.hpp"
#include "word_count.hpp"

using namespace kvasir;

int main(int argc, char** argv) {
    const auto run = [](MPI_Comm comm, const auto& input, const Options& options) -> app::Outcome {
        auto counts = map_reduce<std::string_view, std::uint64_t>(comm, input, app::EmitOne{}, app::Add{},
                                                                  app::Sum{}, options);
        RankStats stats = counts.stats();
        return {std::move(stats), std::move(counts)};
    };
    return app::run_app(argc, argv,
                        {"group-by-key", "Count the words of texts by grouping them", false, true, run, run});
}
