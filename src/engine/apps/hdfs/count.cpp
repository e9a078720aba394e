// WordCount and Grep: counts of byte strings. O ranks combine what they count in a cache of bounded size, A
// ranks whatever arrives; a key's part is the one that Hadoop puts it in.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "input.hpp"
#include "job.hpp"
#include "kvasir/hdfs/partition.hpp"
#include "kvasir/report.hpp"
#include "kvasir/tokenizer.hpp"
#include "pattern.hpp"

namespace kvasir::jobs {
namespace {

using Count = std::uint64_t;
using Entry = std::pair<std::string_view, Count>;

struct Add {
    Count operator()(Count a, Count b) const { return a + b; }
};

using Received = CombinedRecords<Count, Add>;

/// The process whose A rank gets a key.
struct ProcessOf {
    const Roles& roles;

    int operator()(std::string_view key) const {
        return roles.process_of_a(hdfs::hash_partition(hdfs::text_hash(key), roles.a_ranks()));
    }
};

using Exchange = CombiningExchange<Count, Add, ProcessOf>;

/// What separates words to Java's StringTokenizer: not the vertical tab.
struct JavaSpace {
    static bool separates(char c) { return WhiteSpace::separates(c) && c != '\v'; }
#if defined(__AVX2__)
    static __m256i separates(__m256i c) {
        return _mm256_andnot_si256(_mm256_cmpeq_epi8(c, _mm256_set1_epi8('\v')), WhiteSpace::separates(c));
    }
#elif defined(__SSE2__)
    static __m128i separates(__m128i c) {
        return _mm_andnot_si128(_mm_cmpeq_epi8(c, _mm_set1_epi8('\v')), WhiteSpace::separates(c));
    }
#endif
};

/// Calls sink(text) for every text of a split: values of a SequenceFile, or lines.
template <class Sink, class GoOn>
void read_texts(Job& job, Input& input, const hdfs::Split& split, Sink&& sink, GoOn&& go_on) {
    std::uint64_t& bytes = job.state().counters().input_bytes;
    if (job.options().format == InputFormat::text) {
        input.lines(
            split,
            [&](std::string_view line) {
                bytes += line.size();
                sink(line);
            },
            go_on);
    } else {
        input.records(
            split,
            [&](std::string_view key, std::string_view value) {
                bytes += key.size() + value.size();
                sink(hdfs::text_of(value));
            },
            go_on);
    }
}

/// Maps by each(text, exchange), exchanges, combines: this A rank's counts, whose keys lie in `received`.
template <class Each>
std::vector<Entry> count(Job& job, Received& received, Each&& each) {
    Exchange exchange(job.state(), received, ProcessOf{job.roles()});
    Input input(job);
    job.map_and_exchange(
        exchange,
        [&](const hdfs::Split& split) {
            read_texts(
                job, input, split, [&](std::string_view text) { each(text, exchange); },
                [&] { return job.go_on(exchange); });
        },
        [&] { exchange.flush(); });
    std::vector<Entry> entries;
    job.together([&] {
        const double begin = wall_time();
        PhaseScope phase(job.state().clock(), Phase::convert);
        received.for_each([&](std::string_view key, Count count) { entries.emplace_back(key, count); });
        job.state().counters().keys = entries.size();
        std::sort(entries.begin(), entries.end());
        if (job.roles().is_a()) {
            job.note("reduce", "merge", begin);
        }
    });
    return entries;
}

}  // namespace

void count_words(Job& job) {
    Received received(job.state());
    const auto words = count(job, received, [](std::string_view text, Exchange& exchange) {
        for_each_token<JavaSpace>(text.data(), text.size(),
                                  [&](const PaddedView& word) { exchange.send(word, 1); });
    });
    job.write_parts([&](hdfs::ByteSink& part) {
        for (const auto& [word, count] : words) {
            part.write(std::string(word) + '\t' + std::to_string(count) + '\n');
        }
    });
}

/// One part in falling order, as the second job of Hadoop's example writes it.
void grep(Job& job) {
    Received received(job.state());
    std::optional<Pattern> pattern;
    job.together([&] { pattern.emplace(job.options().pattern); });
    const auto own = count(job, received, [&](std::string_view text, Exchange& exchange) {
        pattern->for_each_match(text, [&](std::string_view match) { exchange.send(match, 1); });
    });
    std::vector<std::pair<Count, std::string>> all;
    std::uint64_t matches = 0;
    if (job.roles().is_a()) {
        std::string packed;
        for (const auto& [match, count] : own) {
            hdfs::append_varint(packed, count);
            hdfs::append_varint(packed, match.size());
            packed += match;
            matches += count;
        }
        for (const std::string& text : gather_texts(job.roles().a(), packed)) {
            for (std::string_view rest = text; !rest.empty();) {
                const Count count = hdfs::take_varint(rest);
                all.emplace_back(count, hdfs::take_delimited(rest));
            }
        }
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    job.set_fact("matches", job.sum_over_ranks(matches));
    job.write_parts([&](hdfs::ByteSink& part) {
        for (const auto& [count, match] : all) {
            part.write(std::to_string(count) + '\t' + match + '\n');
        }
    });
}

}  // namespace kvasir::jobs
