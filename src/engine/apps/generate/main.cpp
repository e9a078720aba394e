// generate: text with an exact number of words and of distinct words, the same bytes for any number of
// threads.

#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <functional>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "laws.hpp"
#include "output.hpp"
#include "vocabulary.hpp"

namespace kvasir::generate {
namespace {

constexpr std::uint64_t kBlock = 1U << 18U;  ///< words that are made, hashed and written as one
constexpr std::uint64_t kLine = 16;          ///< words of a line
constexpr std::size_t kSlot = 16;            ///< bytes of a word in the dictionary: a word, padded

struct Settings {
    std::uint64_t words = 0;
    std::uint64_t unique = 0;
    std::string law = "interleaved";
    double exponent = 1.0;
    double share = 0.6;
    std::uint64_t seed = 1;
    std::string lengths = "5-8";
    unsigned threads = 1;
    std::string output;
    std::string report;
    bool plan = false;
};

/// Run `work(index)` for 0 .. count-1 on up to `threads` threads; the first exception is thrown again here.
void in_parallel(unsigned threads, std::uint64_t count, const std::function<void(std::uint64_t)>& work) {
    std::exception_ptr error;
    std::mutex lock;
    const auto one = [&](std::uint64_t index) {
        try {
            work(index);
        } catch (...) {
            const std::lock_guard<std::mutex> guard(lock);
            if (!error) error = std::current_exception();
        }
    };
    std::vector<std::jthread> others;
    for (unsigned t = 1; t < std::min<std::uint64_t>(threads, count); ++t) {
        others.emplace_back([&, t] {
            for (std::uint64_t index = t; index < count; index += threads) one(index);
        });
    }
    for (std::uint64_t index = 0; index < count; index += threads) one(index);
    others.clear();
    if (error) std::rethrow_exception(error);
}

/// All words of a text, each in a slot of its own: its letters, and its length in the last byte.
std::vector<char> dictionary(const Vocabulary& vocabulary, const Settings& settings) {
    std::vector<char> slots(settings.unique * kSlot);
    const std::uint64_t parts = (settings.unique + kBlock - 1) / kBlock;
    in_parallel(settings.threads, parts, [&](std::uint64_t part) {
        stop_if_asked();
        for (std::uint64_t k = part * kBlock; k < std::min(settings.unique, (part + 1) * kBlock); ++k) {
            const Word word = vocabulary[k];
            std::memcpy(&slots[k * kSlot], word.letters.data(), word.length);
            slots[k * kSlot + kSlot - 1] = static_cast<char>(word.length);
        }
    });
    return slots;
}

/// Hash of a block's bytes that also depends on the block's number; sums of it do not depend on the order.
std::uint64_t block_hash(std::string_view text, std::uint64_t number) {
    std::uint64_t state = mixed(number, text.size());
    std::size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, 8);
        state = (state ^ word) * 0x9fb21c651e98df25ULL;
        state ^= state >> 32U;
    }
    for (; at < text.size(); ++at) state = mixed(state, static_cast<unsigned char>(text[at]));
    return mixed(state, number);
}

/// Words `from` to `to` of the text, into `text`.
template <class Law>
void spell(const Law& law, const std::vector<char>& slots, std::uint64_t from, std::uint64_t to,
           std::uint64_t last, std::string& text) {
    text.resize((to - from) * (kLongest + 1) + kSlot);
    char* at = text.data();
    for (std::uint64_t place = from; place < to; ++place) {
        const char* slot = &slots[law(place) * kSlot];
        std::memcpy(at, slot, kSlot);
        at += slot[kSlot - 1];
        *at++ = place % kLine == kLine - 1 || place == last ? '\n' : ' ';
    }
    text.resize(static_cast<std::size_t>(at - text.data()));
}

struct Made {
    std::uint64_t bytes = 0;
    std::uint64_t checksum = 0;
};

template <class Law>
Made write_text(const Law& law, const std::vector<char>& slots, const Settings& settings,
                const Output& output) {
    Made made;
    const std::uint64_t blocks = (settings.words + kBlock - 1) / kBlock;
    std::vector<std::string> texts(settings.threads);
    std::vector<std::uint64_t> hashes(settings.threads);
    std::vector<std::uint64_t> begins(settings.threads);
    for (std::uint64_t first = 0; first < blocks; first += settings.threads) {
        stop_if_asked();
        const std::uint64_t batch = std::min<std::uint64_t>(settings.threads, blocks - first);
        in_parallel(settings.threads, batch, [&](std::uint64_t i) {
            const std::uint64_t from = (first + i) * kBlock;
            spell(law, slots, from, std::min(settings.words, from + kBlock), settings.words - 1, texts[i]);
            hashes[i] = block_hash(texts[i], first + i);
        });
        for (std::uint64_t i = 0; i < batch; ++i) {
            begins[i] = made.bytes;
            made.bytes += texts[i].size();
            made.checksum += hashes[i];
        }
        in_parallel(settings.threads, batch, [&](std::uint64_t i) { output.write_at(texts[i], begins[i]); });
    }
    return made;
}

Made write_law(const std::vector<char>& slots, const Settings& s, const Output& output) {
    if (s.law == "zipf") return write_text(Zipf(s.words, s.unique, s.exponent, s.seed), slots, s, output);
    if (s.law == "superkey") return write_text(Superkey(s.words, s.unique, s.share), slots, s, output);
    return write_text(Interleaved(s.unique, s.seed), slots, s, output);
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

void write_report(const Settings& settings, const Made& made, double wall_s) {
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
                                     {"threads", settings.threads},
                                     {"wall_s", wall_s},
                                     {"cpu_s", cpu_seconds()}};
    if (settings.law == "zipf") report["exponent"] = settings.exponent;
    if (settings.law == "superkey") report["share"] = settings.share;
    const std::string text = report.dump(1) + "\n";
    Output output(settings.report, text.size());
    output.write_at(text, 0);
    output.commit();
}

void run(const Settings& settings) {
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
    const Made made = write_law(dictionary(vocabulary, settings), settings, output);
    stop_if_asked();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - began;
    // The report comes first: a text without one would look finished and could not be checked.
    if (!settings.report.empty()) write_report(settings, made, wall.count());
    output.commit();
}

}  // namespace
}  // namespace kvasir::generate

int main(int argc, char** argv) {
    kvasir::generate::Settings settings;
    CLI::App app{"Generate a text with an exact number of words and of distinct words"};
    app.add_option("--words", settings.words, "words in all")->required()->check(CLI::PositiveNumber);
    app.add_option("--unique", settings.unique, "distinct words")->required()->check(CLI::PositiveNumber);
    app.add_option("--distribution", settings.law, "which word stands where")
        ->check(CLI::IsMember({"interleaved", "zipf", "superkey"}));
    app.add_option("--exponent", settings.exponent, "of the Zipf law")->check(CLI::Range(0.0, 10.0));
    app.add_option("--share", settings.share, "of the heavy word (superkey)")->check(CLI::Range(0.0, 1.0));
    app.add_option("--seed", settings.seed, "another seed, another text");
    app.add_option("--word-length", settings.lengths, "letters of a word, MIN-MAX (at most 8)");
    app.add_option("--threads", settings.threads, "the bytes do not depend on it")
        ->check(CLI::Range(1, 1024));
    auto* output = app.add_option("--output", settings.output, "the text");
    app.add_option("--report", settings.report, "JSON: exact counts and a checksum");
    auto* plan = app.add_flag("--plan", settings.plan, "say how much would be written and stop");
    CLI11_PARSE(app, argc, argv);
    if (plan->count() == 0 && output->count() == 0) {
        std::cerr << "generate: --output is required\n";
        return 2;
    }
    try {
        kvasir::generate::run(settings);
    } catch (const std::exception& error) {
        std::cerr << "generate: " << error.what() << "\n";
        return 1;
    }
    return 0;
}
