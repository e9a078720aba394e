// ReduceByKey: as GroupByKey, with records of equal words combined before and after the exchange.

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
    return app::run_app(
        argc, argv,
        {"reduce-by-key", "Count the words of texts, combining counts before and after the exchange", true,
         true, run, run});
}
