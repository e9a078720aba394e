#include "app.hpp"

#include <cstdio>

#include "app_options.hpp"
#include "app_output.hpp"
#include "kvasir/report.hpp"

namespace kvasir::app {
namespace {

void run_job(const Communicator& comm, const App& app, const AppOptions& options) {
    Outcome outcome = app.run(comm.get(), words(options.inputs), options.job);
    ReportHead head{app.name, options.inputs, options.job, std::nullopt};
    if (outcome.counts) {
        head.checksum = checksum(*outcome.counts);
        if (!options.output.empty()) {
            write_parts(comm, *outcome.counts, options.output);
        }
        if (options.top != 0) {
            print_top(comm, *outcome.counts, options.top);
        }
    } else if (!options.output.empty() || options.top != 0) {
        throw Error("--output and --top: " + app.name + " counts no words");
    }
    if (!options.events.empty()) {
        write_events(comm, outcome.stats, options.events);
    }
    if (!options.report.empty()) {
        write_report(comm, head, outcome.stats, options.report);
    }
}

}  // namespace

int run_app(int argc, char** argv, const App& app) {
    const MpiEnvironment environment(argc, argv);
    const Communicator comm(MPI_COMM_WORLD);
    const bool speaks = comm.rank() == 0;
    const Parsed parsed = parse(argc, argv, app.description, app.combiner);
    if (!parsed.options) {
        if (speaks) {
            (void)std::fputs(parsed.text.c_str(), parsed.exit_code == 0 ? stdout : stderr);
        }
        return parsed.exit_code;
    }
    try {
        run_job(comm, app, *parsed.options);
        return 0;
    } catch (const MpiError& error) {  // not on all ranks: the others would wait for ever
        abort_job(comm, error.what());
    } catch (const Error& error) {  // on all ranks
        if (speaks) {
            (void)std::fprintf(stderr, "error: %s\n", error.what());
        }
        return 1;
    } catch (const std::exception& error) {
        abort_job(comm, error.what());
    }
}

}  // namespace kvasir::app
