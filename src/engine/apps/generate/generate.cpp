// Texts and records, with reports of what is in them.

#include "generate.hpp"

#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>

#include "laws.hpp"
#include "output.hpp"
#include "records.hpp"
#include "text.hpp"
#include "vocabulary.hpp"

namespace kvasir::generate {
namespace {

constexpr std::uint64_t kMostWords = std::uint64_t{1} << 59U;  ///< their bytes still fit in 64 bits

Made write_law(const std::vector<char>& slots, const Settings& s, const Output& output) {
    const auto write = [&](const auto& law) { return write_text(law, slots, s.words, s.threads, output); };
    if (s.law == "zipf") return write(Zipf(s.words, s.unique, s.exponent, s.seed));
    if (s.law == "superkey") return write(Superkey(s.words, s.unique, s.share));
    return write(Interleaved(s.unique, s.seed));
}

Vocabulary vocabulary_of(const Settings& settings) {
    unsigned shortest = 0;
    unsigned longest = 0;
    char dash = 0;
    std::istringstream text(settings.lengths);
    if (!(text >> shortest >> dash >> longest) || dash != '-' || !text.eof()) {
        throw std::invalid_argument("--word-length: found '" + settings.lengths +
                                    "', expected MIN-MAX, as in 5-8");
    }
    return {shortest, longest, settings.seed};
}

void check(const Settings& settings, const Vocabulary& vocabulary) {
    const auto refuse = [](const std::string& why) { throw std::invalid_argument(why); };
    if (settings.words > kMostWords) {
        refuse("--words: found " + std::to_string(settings.words) + " or more, at most " +
               std::to_string(kMostWords) + " are possible");
    }
    if (std::isnan(settings.exponent) || std::isnan(settings.share)) {
        refuse("--exponent and --share: found nan, expected a number");
    }
    if (settings.unique > settings.words) {
        refuse("--unique: " + std::to_string(settings.unique) + " distinct words do not fit in " +
               std::to_string(settings.words) + " words");
    }
    if (settings.unique > vocabulary.capacity()) {
        refuse("--unique: there are only " + std::to_string(vocabulary.capacity()) + " words of " +
               settings.lengths + " letters; allow longer ones with --word-length");
    }
    const auto heavy = static_cast<std::uint64_t>(settings.share * static_cast<double>(settings.words));
    if (settings.law == "superkey" && (heavy == 0 || settings.words - heavy < settings.unique - 1)) {
        refuse("--share: leaves " + std::to_string(settings.words - heavy) + " of " +
               std::to_string(settings.words) + " words for the other " +
               std::to_string(settings.unique - 1) + " distinct ones");
    }
}

double cpu_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void write_json(const nlohmann::ordered_json& report, const std::string& path) {
    const std::string text = report.dump(1) + "\n";
    Output output(path, text.size());
    output.write_at(text, 0);
    output.commit();
}

void write_report(const Settings& settings, const Made& made, const Word& top, double wall_s) {
    std::ostringstream checksum;
    checksum << std::hex << made.checksum;
    nlohmann::ordered_json report = {{"format", 1},
                                     {"words", settings.words},
                                     {"unique", settings.unique},
                                     {"bytes", made.bytes},
                                     {"distribution", settings.law},
                                     {"seed", settings.seed},
                                     {"word_length", settings.lengths},
                                     {"checksum", checksum.str()},
                                     {"top_word", top.text()},
                                     {"max_count", made.top.count},
                                     {"threads", settings.threads},
                                     {"wall_s", wall_s},
                                     {"cpu_s", cpu_seconds()}};
    if (settings.law == "zipf") report["exponent"] = settings.exponent;
    if (settings.law == "superkey") report["share"] = settings.share;
    write_json(report, settings.report);
}

}  // namespace

void make_records(const Settings& settings) {
    constexpr std::uint64_t most = UINT64_MAX / 2 / app::kRecordBytes;
    if (settings.records > most) {
        throw std::invalid_argument("--records: at most " + std::to_string(most));
    }
    const std::uint64_t bytes = settings.records * app::kRecordBytes;
    if (settings.plan) {
        std::cout << "records " << settings.records << ", " << bytes << " bytes\n";
        return;
    }
    remember_signals();
    const auto began = std::chrono::steady_clock::now();
    Output output(settings.output, bytes);
    const std::uint64_t sum = write_records({settings.seed, settings.unique, settings.ascii},
                                            settings.records, settings.threads, output);
    stop_if_asked();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - began;
    if (!settings.report.empty()) {
        std::ostringstream checksum;
        checksum << std::hex << std::setw(16) << std::setfill('0') << sum;
        write_json({{"format", 1},
                    {"records", settings.records},
                    {"bytes", bytes},
                    {"unique", settings.unique},
                    {"ascii", settings.ascii},
                    {"seed", settings.seed},
                    {"checksum", checksum.str()},
                    {"threads", settings.threads},
                    {"wall_s", wall.count()},
                    {"cpu_s", cpu_seconds()}},
                   settings.report);
    }
    output.commit();
}

void make_text(const Settings& settings) {
    const Vocabulary vocabulary = vocabulary_of(settings);
    check(settings, vocabulary);
    // Lengths take turns, so the mean is near the middle; the bound is the longest word everywhere.
    const std::uint64_t most = settings.words * (kLongest + 1);
    if (settings.plan) {
        std::cout << "words " << settings.words << ", distinct " << settings.unique << ", at most " << most
                  << " bytes\n";
        return;
    }
    remember_signals();
    const auto began = std::chrono::steady_clock::now();
    Output output(settings.output, most);
    const Made made = write_law(dictionary(vocabulary, settings.unique, settings.threads), settings, output);
    stop_if_asked();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - began;
    // The report comes first: a text without one would look finished and could not be checked.
    if (!settings.report.empty()) write_report(settings, made, vocabulary[made.top.word], wall.count());
    output.commit();
}

}  // namespace kvasir::generate
