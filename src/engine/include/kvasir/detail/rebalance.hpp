#pragma once
// Rebalancing after the last exchange of a balanced job: sends records to their home ranks.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kvasir/detail/alltoall.hpp"
#include "kvasir/detail/block.hpp"
#include "kvasir/detail/job_state.hpp"
#include "kvasir/detail/radix_store.hpp"

namespace kvasir::detail {

/// Block that grows: records on their way to their home.
template <class Key, class Value>
class GrowingBlock {
    using R = RecordTraits<Key, Value>;

  public:
    explicit GrowingBlock(MemoryMeter& meter) : meter_(meter), memory_(meter, kFirst), block_(meter) {
        block_.attach(memory_.data(), memory_.words());
    }

    /// Adds a record, combined with one of equal key where `combining`.
    template <class Combine>
    void add(const std::uint64_t* record, Combine& combiner, bool combining) {
        const KeyCode key = KeyTraits<Key>::recode(R::hash(record), R::key_zone(record));
        const Value value = R::value(record);
        while (put(key, value, combiner, combining) == Put::full) {
            WordBuffer larger(meter_, 2 * memory_.words() + R::words_of(key, value));
            block_.move_to(larger.data(), larger.words());
            memory_ = std::move(larger);
        }
    }
    Block<Key, Value>& block() { return block_; }

  private:
    static constexpr std::size_t kFirst = 512;

    template <class Combine>
    Put put(const KeyCode& key, const Value& value, Combine& combiner, bool combining) {
        return combining ? block_.combine(key, value, combiner) : block_.append(key, value);
    }

    MemoryMeter& meter_;
    WordBuffer memory_;
    Block<Key, Value> block_;
};

/// Sends every record home. Records of split keys are combined first where `merging`, by all ranks alike,
/// also by the key's home, so that one partial result per rank and key is left; otherwise (nobody is going to
/// convert) they stay. Collective.
template <class Key, class Value, class Combine>
void rebalance(JobState& job, RadixStore<Key, Value, Combine>& store, Combine& combiner, bool merging) {
    using R = RecordTraits<Key, Value>;
    const Router& router = job.router;
    const int me = job.comm.rank();
    std::vector<GrowingBlock<Key, Value>> leaving;
    leaving.reserve(static_cast<std::size_t>(job.comm.size()));
    for (int rank = 0; rank < job.comm.size(); ++rank) {
        leaving.emplace_back(job.memory);
    }
    std::uint64_t left = 0;
    for (std::size_t part = 0; part < store.kPartitions; ++part) {
        RecordPages kept;
        const RecordPages& pages = store.partition(part);
        pages.for_each([&](const std::uint64_t* record) {
            const std::size_t words = R::words(record);
            const int home = router.home(R::hash(record));
            const bool split = router.is_split(R::hash(record));
            if (split ? !merging : home == me) {
                copy_words(kept.extend(job.memory, words), record, words);
            } else {
                leaving[static_cast<std::size_t>(home)].add(record, combiner, split);
                left += static_cast<std::uint64_t>(!split);  // split records were this rank's burden
            }
            return words;
        });
        store.partition(part) = std::move(kept);
    }
    Outgoing outgoing(job.comm.size());
    Incoming incoming(job.comm.size());
    for (std::size_t rank = 0; rank < leaving.size(); ++rank) {
        Block<Key, Value>& block = leaving[rank].block();
        block.squeeze();
        outgoing.data[rank] = block.data();
        outgoing.words[rank] = block.used();
        job.counters.moved += block.records();
        job.count_sent(static_cast<int>(rank), 0, block.used());  // these records are counted already
    }
    job.counters.alltoallv += alltoallv(job.comm, outgoing, incoming, job.options.message_words, job.memory);
    leaving.clear();
    std::size_t total = 0;
    for (const std::size_t words : incoming.words) {
        total += words;
    }
    job.counters.received_bytes += total * sizeof(std::uint64_t);
    job.counters.held += store.ingest(incoming.buffer.data(), total);
    job.counters.held -= left;
}

}  // namespace kvasir::detail
