// WordCount and Grep: counts of byte strings. O ranks combine what they count in a cache of bounded size, A
// ranks whatever arrives; a key's part is the one that Hadoop puts it in.

#include <array>
#include <cstring>
#include <optional>
#include <string>

#include "input.hpp"
#include "job.hpp"
#include "kvasir/hdfs/partition.hpp"
#include "kvasir/tokenizer.hpp"
#include "pattern.hpp"

namespace kvasir::jobs {
namespace {

using Count = std::uint64_t;

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

/// Maps by each(text, exchange) and exchanges what that sends.
template <class Each>
void count(Job& job, Received& received, Each&& each) {
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
}

/// A number as eight bytes that compare as the number does.
std::string_view bytes_of(Count number, std::array<char, 8>& to) {
    const Count big_endian = __builtin_bswap64(number);
    std::memcpy(to.data(), &big_endian, to.size());
    return {to.data(), to.size()};
}

Count number_of(std::string_view bytes) {
    Count big_endian = 0;
    std::memcpy(&big_endian, bytes.data(), sizeof(big_endian));
    return __builtin_bswap64(big_endian);
}

}  // namespace

void count_words(Job& job) {
    Received received(job.state());
    count(job, received, [](std::string_view text, Exchange& exchange) {
        for_each_token<JavaSpace>(text.data(), text.size(),
                                  [&](const PaddedView& word) { exchange.send(word, 1); });
    });
    SortedRecords words(job.state());
    job.merge([&] {
        std::array<char, 8> bytes;
        received.take_each(
            [&](std::string_view word, Count count) { words.add(word, bytes_of(count, bytes)); });
        words.sort();
        job.state().counters().keys = words.size();
    });
    job.write_parts([&](hdfs::ByteSink& part) {
        words.for_each([&](std::string_view word, std::string_view count) {
            part.write(word);
            part.write('\t' + std::to_string(number_of(count)) + '\n');
        });
    });
    job.count_spilled(received.spilled());
    job.count_spilled(words.spilled());
}

/// One part in falling order, as the second job of Hadoop's example writes it.
void grep(Job& job) {
    Received received(job.state());
    std::optional<Pattern> pattern;
    job.together([&] { pattern.emplace(job.options().pattern); });
    count(job, received, [&](std::string_view text, Exchange& exchange) {
        pattern->for_each_match(text, [&](std::string_view match) { exchange.send(match, 1); });
    });
    // Sorted by what is missing to the largest number: the most frequent match first, then by their bytes.
    SortedRecords all(job.state());
    std::optional<PackedExchange<SortedRecords>> to_first;
    job.together([&] { to_first.emplace(job.state(), all); });
    Count matches = 0;
    try {
        std::array<char, 8> bytes;
        received.take_each([&](std::string_view match, Count count) {
            to_first->send(job.roles().process_of_a(0), bytes_of(UINT64_MAX - count, bytes), match);
            to_first->poll();
            matches += count;
            ++job.state().counters().keys;
        });
    } catch (...) {
        job.state().fail();
    }
    to_first->finish();
    job.merge([&] { all.sort(); });
    job.set_fact("matches", job.sum_over_ranks(matches));
    job.write_parts([&](hdfs::ByteSink& part) {
        all.for_each([&](std::string_view rank, std::string_view match) {
            part.write(std::to_string(UINT64_MAX - number_of(rank)) + '\t');
            part.write(match);
            part.write("\n");
        });
    });
    job.count_spilled(received.spilled());
    job.count_spilled(all.spilled());
}

}  // namespace kvasir::jobs
