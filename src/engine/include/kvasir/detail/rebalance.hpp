#pragma once
// Rebalancing after the last exchange of a balanced job: sends records to their home ranks.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kvasir/detail/alltoall.hpp"
#include "kvasir/detail/growing_block.hpp"
#include "kvasir/detail/job_state.hpp"
#include "kvasir/detail/radix_store.hpp"

namespace kvasir::detail {

/// Sends every record home. Records of split keys are combined first where `merging`, by all ranks alike,
/// also by the key's home, so that one partial result per rank and key is left; otherwise (nobody is going to
/// convert) they stay. Collective.
template <class Key, class Value, class Combine>
void rebalance(JobState& job, RadixStore<Key, Value, Combine>& store, Combine& combiner, bool merging) {
    using R = RecordTraits<Key, Value>;
    const Router& router = job.router;
    const int me = job.comm.rank();
    constexpr std::size_t first_words = 512;
    std::vector<GrowingBlock<Key, Value>> leaving;
    leaving.reserve(static_cast<std::size_t>(job.comm.size()));
    for (int rank = 0; rank < job.comm.size(); ++rank) {
        leaving.emplace_back(job.memory, first_words);
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
                GrowingBlock<Key, Value>& block = leaving[static_cast<std::size_t>(home)];
                if (split) {
                    block.combine(record, combiner);
                } else {
                    block.append(record);
                }
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
