#include "app.hpp"

#include "app_options.hpp"
#include "app_output.hpp"
#include "kvasir/program.hpp"
#include "kvasir/report.hpp"

namespace kvasir::app {
namespace {

template <class Separator>
Text<Separator> text_of(const AppOptions& options) {
    return {options.inputs, {}, options.filter, options.decompress};
}

Outcome run_on_input(MPI_Comm comm, const App& app, const AppOptions& options) {
    if (options.record != 0) {
        return app.run_any(comm, AnyInput(Records{options.inputs, options.record, options.decompress}),
                           options.job);
    }
    switch (options.separator) {
        case Separator::newline:
            return app.run_any(comm, AnyInput(text_of<LineFeed>(options)), options.job);
        case Separator::nul:
            return app.run_any(comm, AnyInput(text_of<Nul>(options)), options.job);
        case Separator::space:
            break;
    }
    return app.run_words(comm, text_of<WhiteSpace>(options), options.job);
}

/// Says in words what the keys are.
std::string keys_of(const AppOptions& options) {
    if (options.record != 0) {
        return "records of " + std::to_string(options.record) + " bytes";
    }
    std::string text = options.separator == Separator::space     ? "words"
                       : options.separator == Separator::newline ? "lines"
                                                                 : "strings";
    text += options.filter.fold_case ? ", case folded" : "";
    text += options.filter.strip_punctuation ? ", without punctuation" : "";
    return text;
}

void run_job(const Communicator& comm, const App& app, const AppOptions& options) {
    Outcome outcome = run_on_input(comm.get(), app, options);
    ReportHead head{app.name, options.inputs, keys_of(options), options.job, std::nullopt};
    if (outcome.counts) {
        head.checksum = checksum(*outcome.counts);
        if (!options.output.empty()) {
            write_parts(comm, *outcome.counts, options.output, options.terminator());
        }
        if (options.top != 0) {
            print_top(comm, *outcome.counts, options.top, options.terminator());
        }
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
    return run_program(argc, argv, [&](const Communicator& comm) {
        const Parsed parsed = parse(argc, argv, app.description, app.combiner);
        if (parsed.ended) {
            return parsed.say(comm);
        }
        if (!app.counts && (!parsed.options->output.empty() || parsed.options->top != 0)) {
            throw Error("--output and --top: " + app.name + " counts no words");
        }
        run_job(comm, app, *parsed.options);
        return 0;
    });
}

}  // namespace kvasir::app
