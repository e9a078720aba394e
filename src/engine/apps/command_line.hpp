#pragma once
// Kinds of options.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <map>
#include <sstream>
#include <string>

#include "ended.hpp"
#include "kvasir/error.hpp"
#include "kvasir/options.hpp"

namespace kvasir::app {

/// An option whose value is one of a few names.
template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& value,
                        std::map<std::string, Value> names, const std::string& help) {
    std::string choices;
    for (const auto& [text, meaning] : names) {
        choices += (choices.empty() ? "" : ", ") + text;
    }
    const auto set = [&value, names, choices, name](const std::string& text) {
        const auto found = names.find(text);
        if (found == names.end()) {
            throw CLI::ValidationError(name, "'" + text + "': expected one of " + choices);
        }
        value = found->second;
    };
    return app.add_option_function<std::string>(name, set, help + " (" + choices + ")");
}

/// An option whose text `convert` turns into a value; it throws Error where it cannot.
template <class Convert>
CLI::Option* add_converted(CLI::App& app, const std::string& name, const std::string& help,
                           Convert&& convert) {
    const auto set = [name, convert](const std::string& text) {
        try {
            convert(text);
        } catch (const Error& error) {
            throw CLI::ValidationError(name, error.what());
        }
    };
    return app.add_option_function<std::string>(name, set, help);
}

/// An option whose value is a number of bytes, with or without a unit.
inline CLI::Option* add_size(CLI::App& app, const std::string& name, std::size_t& value,
                             const std::string& help) {
    const auto set = [&value](const std::string& text) { value = parse_size(text); };
    return add_converted(app, name, help, set)->type_name("SIZE");
}

/// The options of a budget of memory. fit_send_buffer() is to be called when all options are read.
inline void add_memory(CLI::App& app, Options& job) {
    add_size(
        app, "--memory", job.memory,
        "Memory of each rank for records and buffers; the send buffer becomes a sixteenth of it at most, "
        "unless --send-buffer is given");
    app.add_option("--spill", job.spill,
                   "Folder for records that --memory has no room for; without it such a job fails")
        ->type_name("FOLDER");
}

/// Fits the send buffer of `app`'s option --send-buffer to the budget of memory, if there is one.
inline void fit_send_buffer(const CLI::App& app, Options& job) {
    if (job.memory != 0 && app.count("--send-buffer") == 0) {
        job.send_buffer = std::min(job.send_buffer, job.memory / 16);
    }
}

/// Sets the variables of all options that were added to `app`.
inline Ended parse_command_line(CLI::App& app, int argc, const char* const* argv) {
    try {
        app.parse(argc, argv);
        return {};
    } catch (const CLI::Success& help) {
        std::ostringstream out;
        const int code = app.exit(help, out, out);
        return {true, out.str(), code};
    } catch (const CLI::ParseError& error) {
        return {true, std::string("error: ") + error.what() + " (see --help)\n", 2};
    }
}

}  // namespace kvasir::app
