#include "app_options.hpp"

#include <CLI/CLI.hpp>
#include <map>
#include <utility>

#include "command_line.hpp"

namespace kvasir::app {
namespace {

void add_job_options(CLI::App& app, Options& job, bool combiner) {
    add_size(app, "--send-buffer", job.send_buffer, "Send buffer of each rank, for example 64MB or 1MiB");
    add_choice<Strategy>(app, "--strategy", job.strategy,
                         {{"partition-full", Strategy::partition_full},
                          {"by-fill", Strategy::by_fill},
                          {"adaptive", Strategy::adaptive}},
                         "How ranks exchange records");
    std::map<std::string, CombineWhere> where{{"none", CombineWhere::none}};
    if (combiner) {
        where.insert(
            {{"before", CombineWhere::before}, {"after", CombineWhere::after}, {"both", CombineWhere::both}});
    }
    job.combine = combiner ? CombineWhere::both : CombineWhere::none;
    add_choice<CombineWhere>(app, "--combine", job.combine, where,
                             combiner ? "Where records of equal key are combined, seen from the exchange"
                                      : "This program has no combiner");
    add_choice<bool>(app, "--combine-switch", job.combine_switch, {{"on", true}, {"off", false}},
                     "Stop combining before the exchange while it hardly finds equal keys");
    add_choice<Balance>(
        app, "--balance", job.balance,
        {{"hash", Balance::hash}, {"repartition", Balance::repartition}, {"split", Balance::split}},
        "What is done against skew");
    add_choice<Pipeline>(app, "--pipeline", job.pipeline,
                         {{"pipelined", Pipeline::pipelined}, {"staged", Pipeline::staged}},
                         "Whether phases overlap");
    add_choice<InputMode>(app, "--input", job.input,
                          {{"static", InputMode::fixed}, {"dynamic", InputMode::dynamic}},
                          "How the input is shared out");
    add_size(app, "--combine-cache", job.combine_cache,
             "by-fill, adaptive: bytes that records are combined in");
    app.add_option("--in-flight", job.in_flight, "by-fill, adaptive: blocks under way to one rank, 2 to 4");
    add_size(app, "--slice", job.slice, "Bytes of text read at a time");
    add_size(app, "--chunk", job.chunk, "dynamic input: bytes given out at a time");
    add_memory(app, job);
    app.add_option("--balance-factor", job.balance_factor, "Fullest rank over mean above which bins move");
    add_size(app, "--balance-first", job.balance_first,
             "Records of a rank before the balance is first looked at");
}

void add_reading_options(CLI::App& app, AppOptions& options) {
    auto* separator = add_choice<Separator>(
        app, "--separator", options.separator,
        {{"space", Separator::space}, {"newline", Separator::newline}, {"nul", Separator::nul}},
        "What ends a key: white space (keys are words), a newline or a NUL");
    auto* record = add_size(app, "--record", options.record, "Keys are records of so many bytes each");
    auto* fold = app.add_flag("--fold-case", options.filter.fold_case, "Count A to Z as a to z (ASCII)");
    auto* strip = app.add_flag("--strip-punctuation", options.filter.strip_punctuation,
                               "Leave out all punctuation (ASCII), also within words");
    for (CLI::Option* other : {separator, fold, strip}) {
        record->excludes(other);
    }
    add_choice<bool>(app, "--compression", options.decompress, {{"auto", true}, {"none", false}},
                     "Whether gzip and Zstandard files are read as the text in them");
}

}  // namespace

Parsed parse(int argc, char** argv, const std::string& description, bool combiner) {
    CLI::App app(description);
    AppOptions options;
    add_job_options(app, options.job, combiner);
    add_reading_options(app, options);
    app.add_option("--report", options.report, "Write a JSON report of the job to this file");
    app.add_option("--events", options.events,
                   "Write a CSV log of every record and exchange (tiny inputs only)");
    app.add_option("--output", options.output, "Write the counts as part-<rank> files into this folder");
    app.add_option("--top", options.top, "Print the so many commonest words and their counts")
        ->check(CLI::NonNegativeNumber);
    app.add_option("INPUT", options.inputs, "Text files, or folders of them")->required();
    Parsed parsed;
    static_cast<Ended&>(parsed) = parse_command_line(app, argc, argv);
    if (!parsed.ended) {
        fit_send_buffer(app, options.job);
        options.job.events = !options.events.empty();
        parsed.options = std::move(options);
    }
    return parsed;
}

}  // namespace kvasir::app
