// WordCount and Grep: counts of byte strings. O ranks combine what they count in a cache of bounded size, A
// ranks whatever arrives; a key's part is the one that Hadoop puts it in.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "input.hpp"
#include "job.hpp"
#include "kvasir/detail/radix_store.hpp"
#include "kvasir/hdfs/partition.hpp"
#include "kvasir/report.hpp"
#include "kvasir/tokenizer.hpp"
#include "pattern.hpp"

namespace kvasir::jobs {
namespace {

using detail::KeyCode;
using Key = detail::KeyTraits<std::string_view>;
using Count = std::uint64_t;
using Entry = std::pair<std::string_view, Count>;

struct Add {
    Count operator()(Count a, Count b) const { return a + b; }
};

using CountBlock = detail::Block<std::string_view, Count>;
using Store = detail::RadixStore<std::string_view, Count, Add>;
using Transport = detail::ByFill<CountBlock, Store>;
using Record = detail::RecordTraits<std::string_view, Count>;

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

/// Counts on their way to the A ranks.
class CountCache {
  public:
    CountCache(Job& job, Transport& transport)
        : job_(job),
          transport_(transport),
          memory_(job.state().memory, std::max<std::size_t>(job.options().engine.combine_cache / 8, 64)),
          cache_(job.state().memory) {
        cache_.attach(memory_.data(), memory_.words());
    }

    /// Counts `key` once more. `Text`: std::string_view, or PaddedView, which is faster.
    template <class Text>
    void add(const Text& key) {
        ++job_.state().counters.emitted;
        const KeyCode code = Key::encode(key);
        detail::Put put = cache_.combine(code, 1, add_);
        if (put == detail::Put::full) [[unlikely]] {
            flush();
            put = cache_.combine(code, 1, add_);
            if (put == detail::Put::full) {
                transport_.oversize(process_of(key), code, Count{1});
            }
        }
        job_.state().counters.combined_before += static_cast<std::uint64_t>(put == detail::Put::combined);
    }

    /// Sends what is in the cache.
    void flush() {
        for (const std::uint64_t* at = cache_.data(); at != cache_.data() + cache_.used();
             at += Record::words(at)) {
            const KeyCode code = Key::recode(Record::hash(at), Record::key_zone(at));
            const int process = process_of(Record::key(at));
            const Count count = Record::value(at);
            if (transport_.block(process).append(code, count) == detail::Put::full) {
                transport_.full(process);
                if (transport_.block(process).append(code, count) == detail::Put::full) {
                    transport_.oversize(process, code, count);
                }
            }
        }
        cache_.clear();
    }

  private:
    int process_of(std::string_view key) const {
        const Roles& roles = job_.roles();
        return roles.process_of_a(hdfs::hash_partition(hdfs::text_hash(key), roles.a_ranks()));
    }

    Job& job_;
    Transport& transport_;
    WordBuffer memory_;
    CountBlock cache_;
    Add add_;
};

/// Calls sink(text) for every text of a split: values of a SequenceFile, or lines.
template <class Sink, class GoOn>
void read_texts(Job& job, Input& input, const hdfs::Split& split, Sink&& sink, GoOn&& go_on) {
    std::uint64_t& bytes = job.state().counters.input_bytes;
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

/// Maps by each(text, cache), exchanges, combines: this A rank's counts, whose keys lie in `store`.
template <class Each>
std::vector<Entry> count(Job& job, Store& store, Each&& each) {
    Transport transport(job.state(), store, false);
    CountCache cache(job, transport);
    Input input(job);
    job.map_and_exchange(
        transport,
        [&](const hdfs::Split& split) {
            read_texts(
                job, input, split, [&](std::string_view text) { each(text, cache); },
                [&] { return job.go_on(transport); });
        },
        [&] { cache.flush(); });
    std::vector<Entry> entries;
    job.together([&] {
        const double begin = wall_time();
        PhaseScope phase(job.state().clock, Phase::convert);
        for (std::size_t part = 0; part < Store::kPartitions; ++part) {
            store.combine_partition(part);
            store.partition(part).for_each([&](const std::uint64_t* record) {
                entries.emplace_back(Record::key(record), Record::value(record));
                return Record::words(record);
            });
        }
        job.state().counters.keys = entries.size();
        std::sort(entries.begin(), entries.end());
        if (job.roles().is_a()) {
            job.note("reduce", "merge", begin);
        }
    });
    return entries;
}

}  // namespace

void count_words(Job& job) {
    Add add;
    Store store(job.state().memory, add, true);
    const auto words = count(job, store, [](std::string_view text, CountCache& cache) {
        for_each_token<JavaSpace>(text.data(), text.size(), [&](const PaddedView& word) { cache.add(word); });
    });
    job.write_parts([&](hdfs::ByteSink& part) {
        for (const auto& [word, count] : words) {
            part.write(std::string(word) + '\t' + std::to_string(count) + '\n');
        }
    });
}

/// One part in falling order, as the second job of Hadoop's example writes it.
void grep(Job& job) {
    Add add;
    Store store(job.state().memory, add, true);
    std::optional<Pattern> pattern;
    job.together([&] { pattern.emplace(job.options().pattern); });
    const auto own = count(job, store, [&](std::string_view text, CountCache& cache) {
        pattern->for_each_match(text, [&](std::string_view match) { cache.add(match); });
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
