// generate: text with an exact number of words and of distinct words, or records to sort; the same bytes for
// any number of threads.

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <utility>

#include "generate.hpp"

int main(int argc, char** argv) {
    kvasir::generate::Settings settings;
    CLI::App app{"Generate a text with an exact number of words and of distinct words, or records to sort"};
    app.add_option("--format", settings.format, "text, or records of 100 bytes as gensort lays them out")
        ->check(CLI::IsMember({"text", "records"}));
    auto* words = app.add_option("--words", settings.words, "words in all")->check(CLI::PositiveNumber);
    auto* records = app.add_option("--records", settings.records, "records in all, with --format records");
    auto* ascii = app.add_flag("--ascii", settings.ascii, "printable records, each a line (gensort's -a)");
    auto* unique = app.add_option("--unique", settings.unique,
                                  "distinct words; or most distinct keys of records, else all may differ")
                       ->check(CLI::PositiveNumber);
    app.add_option("--distribution", settings.law, "which word stands where")
        ->check(CLI::IsMember({"interleaved", "zipf", "superkey"}));
    app.add_option("--exponent", settings.exponent, "of the Zipf law")->check(CLI::Range(0.0, 10.0));
    app.add_option("--share", settings.share, "of the heavy word (superkey)")->check(CLI::Range(0.0, 1.0));
    app.add_option("--seed", settings.seed, "another seed, another text");
    app.add_option("--word-length", settings.lengths, "letters of a word, MIN-MAX (at most 8)");
    app.add_option("--threads", settings.threads, "the bytes do not depend on it")
        ->check(CLI::Range(1, 1024));
    auto* output = app.add_option("--output", settings.output, "the file");
    app.add_option("--report", settings.report, "JSON: exact counts and a checksum");
    auto* plan = app.add_flag("--plan", settings.plan, "say how much would be written and stop");
    CLI11_PARSE(app, argc, argv);
    if (plan->count() == 0 && output->count() == 0) {
        std::cerr << "generate: --output is required\n";
        return 2;
    }
    const bool text = settings.format == "text";
    for (const auto& [option, needed] : {std::pair{words, text}, {unique, text}, {records, !text}}) {
        if (needed && option->count() == 0) {
            std::cerr << "generate: " << option->get_name() << " is required\n";
            return 2;
        }
    }
    if ((text ? records : words)->count() != 0 || (text && ascii->count() != 0)) {
        std::cerr << "generate: --words is for --format text, --records and --ascii for --format records\n";
        return 2;
    }
    try {
        text ? kvasir::generate::make_text(settings) : kvasir::generate::make_records(settings);
    } catch (const std::exception& error) {
        std::cerr << "generate: " << error.what() << "\n";
        return 1;
    }
    return 0;
}
