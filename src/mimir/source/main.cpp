// WordCount on Mimir (github.com/TauferLab/Mimir): the mini-apps of study mimir by its own library, with the
// command line and the report of the engine's, as far as Mimir has what they name.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <sstream>

#include "kvasir/error.hpp"
#include "kvasir/mpi.hpp"
#include "kvasir/options.hpp"
#include "mimir_report.hpp"
#include "mimir_words.hpp"

namespace {

using namespace kvasir;

struct Arguments {
    std::string app = "group-by-key";
    std::string combine = "none";
    std::string send_buffer = "64MB";
    std::string report;
    std::string output;
    mimir::Job job;
};

/// Result of parsing: whether to run, or a text to print and the exit code.
struct Parsed {
    bool run = false;
    std::string text;
    int exit_code = 0;
};

Parsed parse(int argc, char** argv, Arguments& arguments) {
    CLI::App app("Count the words of texts by Mimir");
    app.add_option("--app", arguments.app, "What of it is run")
        ->check(CLI::IsMember({"map-aggregate", "group-by-key", "reduce-by-key"}));
    app.add_option("--combine", arguments.combine,
                   "Whether its combiner works, before and after the exchange")
        ->check(CLI::IsMember({"none", "both"}));
    app.add_option("--send-buffer", arguments.send_buffer, "Its communication buffer, for example 64MB");
    app.add_option("--report", arguments.report, "Write a JSON report of the job to this file");
    app.add_option("--output", arguments.output, "Write the counts as part-<rank> files into this folder");
    app.add_option("INPUT", arguments.job.inputs, "Text files")->required();
    Parsed parsed;
    try {
        app.parse(argc, argv);
        arguments.job.stage =
            arguments.app == "map-aggregate" ? mimir::Stage::map_aggregate : mimir::Stage::count;
        arguments.job.combine = arguments.combine == "both";
        arguments.job.send_buffer = parse_size(arguments.send_buffer);
        parsed.run = true;
    } catch (const CLI::Success& help) {
        std::ostringstream out;
        parsed.exit_code = app.exit(help, out, out);
        parsed.text = out.str();
    } catch (const CLI::ParseError& error) {
        parsed.exit_code = 2;
        parsed.text = std::string("error: ") + error.what() + " (see --help)\n";
    } catch (const Error& error) {
        parsed.exit_code = 2;
        parsed.text = std::string("error: --send-buffer: ") + error.what() + " (see --help)\n";
    }
    return parsed;
}

}  // namespace

int main(int argc, char** argv) {
    const MpiEnvironment environment(argc, argv);
    const Communicator comm(MPI_COMM_WORLD);
    Arguments arguments;
    const Parsed parsed = parse(argc, argv, arguments);
    if (!parsed.run) {
        if (comm.rank() == 0) {
            (void)std::fputs(parsed.text.c_str(), parsed.exit_code == 0 ? stdout : stderr);
        }
        return parsed.exit_code;
    }
    try {
        const mimir::Outcome outcome = mimir::run(comm.get(), arguments.job);
        if (!arguments.output.empty()) {
            mimir::write_parts(comm, outcome, arguments.output);
        }
        if (!arguments.report.empty()) {
            mimir::write_report(comm, arguments.job, outcome, arguments.report);
        }
        return 0;
    } catch (const Error& error) {  // on all ranks
        if (comm.rank() == 0) {
            (void)std::fprintf(stderr, "error: %s\n", error.what());
        }
        return 1;
    } catch (const std::exception& error) {
        abort_job(comm, error.what());
    }
}
