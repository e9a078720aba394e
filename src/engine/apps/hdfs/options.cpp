#include "options.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "command_line.hpp"

namespace kvasir::jobs {
namespace {

using app::add_size;

void add_common(CLI::App& app, JobOptions& options) {
    app::add_converted(app, "--namenode", "NameNode's RPC, HOST:PORT as in fs.defaultFS",
                       [&](const std::string& text) { options.name_node = hdfs::parse_address(text); })
        ->required()
        ->type_name("HOST:PORT");
    app.add_option("--user", options.user, "Who we are to HDFS (default: HADOOP_USER_NAME, USER or root)");
    app.add_option("--o-ranks", options.o_ranks, "Ranks that read and map (default: all processes)")
        ->check(CLI::PositiveNumber);
    app.add_option("--a-ranks", options.a_ranks,
                   "Ranks that receive and write, a part each (default: all processes)")
        ->check(CLI::PositiveNumber);
    app::add_choice<Placement>(app, "--placement", options.placement,
                               {{"shared", Placement::shared}, {"split", Placement::split}},
                               "Whether a process may be an O and an A rank, or is one of both");
    app.add_option("--replication", options.replication, "Replicas of the output (default: HDFS's)");
    add_size(app, "--block-size", options.block_size, "Block size of the output (default: HDFS's)");
    add_size(app, "--split", options.split, "Most bytes of input that are given out at once");
    add_size(app, "--send-buffer", options.engine.send_buffer, "Send buffer of each rank");
    app.add_option("--in-flight", options.engine.in_flight, "Blocks under way to one rank, 2 to 4");
    add_size(app, "--slice", options.engine.slice, "Bytes read at a time");
    app.add_option("--report", options.report, "Write a JSON report of the job to this file");
    app.add_option("--launched", options.launched, "When mpirun was started, seconds since 1970");
}

void add_paths(CLI::App& job, JobOptions& options, const std::string& input) {
    job.add_option("INPUT", options.input, input)->required();
    job.add_option("OUTPUT", options.output, "New folder on HDFS")->required();
}

void add_format(CLI::App& job, JobOptions& options) {
    app::add_choice<InputFormat>(job, "--input-format", options.format,
                                 {{"sequence", InputFormat::sequence}, {"text", InputFormat::text}},
                                 "Values of SequenceFiles of Texts, or lines");
    add_size(job, "--combine-cache", options.engine.combine_cache,
             "Bytes that counts are combined in before they are sent");
}

void add_jobs(CLI::App& app, JobOptions& options) {
    CLI::App* words = app.add_subcommand("wordcount", "Count words");
    add_paths(*words, options, "File or folder on HDFS");
    add_format(*words, options);
    app::add_memory(*words, options.engine);
    CLI::App* grep = app.add_subcommand("grep", "Count matches of a pattern, most frequent first");
    add_paths(*grep, options, "File or folder on HDFS");
    grep->add_option("PATTERN", options.pattern, "Regular expression")->required();
    add_format(*grep, options);
    app::add_memory(*grep, options.engine);
    CLI::App* sort = app.add_subcommand("sort", "Sort SequenceFiles of Texts, parts by hash of the key");
    add_paths(*sort, options, "File or folder on HDFS");
    app::add_memory(*sort, options.engine);
    CLI::App* tera =
        app.add_subcommand("terasort", "Sort records of 100 bytes, in total order over all parts");
    add_paths(*tera, options, "Output of TeraGen");
    add_size(*tera, "--samples", options.samples, "Keys that are looked at to part them evenly");
    app::add_memory(*tera, options.engine);
    CLI::App* pages = app.add_subcommand("pagerank", "Rank the vertices of a graph");
    add_paths(*pages, options, "Lines SOURCE<TAB>TARGET");
    pages->add_option("--iterations", options.iterations, "How often ranks are passed on")
        ->required()
        ->check(CLI::PositiveNumber);
    app.require_subcommand(1);
}

/// HDFS knows no empty names between slashes.
void strip_slashes(std::string& path) {
    while (path.size() > 1 && path.back() == '/') {
        path.pop_back();
    }
}

std::string user_of_environment() {
    for (const char* name : {"HADOOP_USER_NAME", "USER"}) {
        const char* value = std::getenv(name);
        if (value != nullptr && *value != '\0') {
            return value;
        }
    }
    return "root";
}

}  // namespace

Parsed parse(int argc, const char* const* argv) {
    CLI::App app("MapReduce over MPI on HDFS");
    app.fallthrough();
    JobOptions options;
    options.engine.strategy = Strategy::by_fill;
    add_common(app, options);
    add_jobs(app, options);
    Parsed parsed;
    static_cast<app::Ended&>(parsed) = app::parse_command_line(app, argc, argv);
    if (!parsed.ended) {
        options.job = app.get_subcommands().at(0)->get_name();
        if (options.user.empty()) {
            options.user = user_of_environment();
        }
        strip_slashes(options.input);
        strip_slashes(options.output);
        app::fit_send_buffer(app, options.engine);
        if (options.engine.memory != 0) {
            options.engine.combine_cache = std::min(options.engine.combine_cache, options.engine.memory / 16);
        }
        parsed.options = std::move(options);
    }
    return parsed;
}

}  // namespace kvasir::jobs
