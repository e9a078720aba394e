// Map+Aggregate: emits every word and exchanges the records; ends before they are grouped by key.

#include "app.hpp"
#include "word_count.hpp"

using namespace kvasir;

int main(int argc, char** argv) {
    const auto run = [](MPI_Comm comm, const auto& input, const Options& options) -> app::Outcome {
        return {map_aggregate<std::string_view, std::uint64_t>(comm, input, app::EmitOne{}, options), {}};
    };
    return app::run_app(argc, argv,
                        {"map-aggregate", "Map and exchange the words of texts, without grouping them", false,
                         false, run, run});
}
