#include "options.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <map>
#include <sstream>

#include "kvasir/error.hpp"

namespace kvasir::jobs {
namespace {

/// An option whose text `convert` turns into a value; it throws Error where it cannot.
template <class Convert>
CLI::Option* add(CLI::App& app, const std::string& name, const std::string& help, Convert&& convert) {
    const auto set = [name, convert](const std::string& text) {
        try {
            convert(text);
        } catch (const Error& error) {
            throw CLI::ValidationError(name, error.what());
        }
    };
    return app.add_option_function<std::string>(name, set, help);
}

void add_size(CLI::App& app, const std::string& name, std::size_t& value, const std::string& help) {
    add(app, name, help, [&value](const std::string& text) { value = parse_size(text); })->type_name("SIZE");
}

void add_common(CLI::App& app, JobOptions& options) {
    add(app, "--namenode", "NameNode's RPC, HOST:PORT as in fs.defaultFS",
        [&](const std::string& text) { options.name_node = hdfs::parse_address(text); })
        ->required()
        ->type_name("HOST:PORT");
    app.add_option("--user", options.user, "Who we are to HDFS (default: HADOOP_USER_NAME, USER or root)");
    app.add_option("--o-ranks", options.o_ranks, "Ranks that read and map (default: all processes)")
        ->check(CLI::PositiveNumber);
    app.add_option("--a-ranks", options.a_ranks,
                   "Ranks that receive and write, a part each (default: all processes)")
        ->check(CLI::PositiveNumber);
    app.add_option("--placement", options.placement,
                   "shared: a process may be an O and an A rank; split: it is one of both")
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, Placement>{{"shared", Placement::shared}, {"split", Placement::split}}));
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
    job.add_option("--input-format", options.format,
                   "sequence: values of SequenceFiles of Texts; text: lines")
        ->transform(CLI::CheckedTransformer(std::map<std::string, InputFormat>{
            {"sequence", InputFormat::sequence}, {"text", InputFormat::text}}));
    add_size(job, "--combine-cache", options.engine.combine_cache,
             "Bytes that counts are combined in before they are sent");
}

void add_jobs(CLI::App& app, JobOptions& options) {
    CLI::App* words = app.add_subcommand("wordcount", "Count words");
    add_paths(*words, options, "File or folder on HDFS");
    add_format(*words, options);
    CLI::App* grep = app.add_subcommand("grep", "Count matches of a pattern, most frequent first");
    add_paths(*grep, options, "File or folder on HDFS");
    grep->add_option("PATTERN", options.pattern, "Regular expression")->required();
    add_format(*grep, options);
    CLI::App* sort = app.add_subcommand("sort", "Sort SequenceFiles of Texts, parts by hash of the key");
    add_paths(*sort, options, "File or folder on HDFS");
    CLI::App* tera =
        app.add_subcommand("terasort", "Sort records of 100 bytes, in total order over all parts");
    add_paths(*tera, options, "Output of TeraGen");
    add_size(*tera, "--samples", options.samples, "Keys that are looked at to part them evenly");
    CLI::App* pages = app.add_subcommand("pagerank", "Rank the vertices of a graph");
    add_paths(*pages, options, "Lines SOURCE<TAB>TARGET");
    pages->add_option("--iterations", options.iterations, "How often ranks are passed on")
        ->required()
        ->check(CLI::PositiveNumber);
    app.require_subcommand(1);
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
    try {
        app.parse(argc, argv);
        options.job = app.get_subcommands().at(0)->get_name();
        if (options.user.empty()) {
            options.user = user_of_environment();
        }
        parsed.options = std::move(options);
    } catch (const CLI::Success& help) {
        std::ostringstream out;
        parsed.exit_code = app.exit(help, out, out);
        parsed.text = out.str();
    } catch (const CLI::ParseError& error) {
        parsed.exit_code = 2;
        parsed.text = std::string("error: ") + error.what() + " (see --help)\n";
    }
    return parsed;
}

}  // namespace kvasir::jobs
