#pragma once
// Synchronous exchange, that of the paper: the send buffer is cut in equal partitions, one per rank; when one
// partition of one rank is full, all ranks suspend their map and exchange by MPI_Alltoallv.
//
// The rank whose partition is full sends the number of the round to all others, which look for it between two
// slices of input. Several ranks can ask for the same round; late requests carry an old number and are
// dropped. A rank that has mapped all its input enters a non-blocking barrier and serves requests until the
// barrier completes, that is until nobody maps any more; one last round then empties all buffers.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kvasir/detail/alltoall.hpp"
#include "kvasir/detail/block.hpp"
#include "kvasir/detail/job_state.hpp"
#include "kvasir/detail/round_requests.hpp"
#include "kvasir/wait.hpp"

namespace kvasir::detail {

template <class Key, class Value, class Store>
class PartitionFull {
    using R = RecordTraits<Key, Value>;

  public:
    using BlockType = Block<Key, Value>;

    PartitionFull(JobState& job, Store& store, bool /*combining*/)
        : job_(job),
          store_(store),
          requests_(job.control),
          buffer_(job.memory, partition_words(job) * static_cast<std::size_t>(job.comm.size())),
          oversize_(static_cast<std::size_t>(job.comm.size()),
                    MeteredVector<std::uint64_t>(MeteredAllocator<std::uint64_t>(job.memory))),
          outgoing_(job.comm.size()),
          incoming_(job.comm.size()),
          theirs_(oversize_.size()) {
        const std::size_t words = partition_words(job);
        for (std::size_t r = 0; r < oversize_.size(); ++r) {
            blocks_.emplace_back(job.memory);
            blocks_.back().attach(buffer_.data() + r * words, words);
        }
    }

    BlockType& block(int rank) { return blocks_[static_cast<std::size_t>(rank)]; }

    /// Exchanges, since the partition for `rank` is full.
    void full(int /*rank*/) {
        requests_.ask(round_);
        round(false);
    }

    /// Sends a record that no partition can hold beside them, in the next round.
    void oversize(int rank, const KeyCode& key, const Value& value) {
        MeteredVector<std::uint64_t>& aside = oversize_[static_cast<std::size_t>(rank)];
        const std::size_t at = aside.size();
        aside.resize(at + R::words_of(key, value));
        R::write(key, value, aside.data() + at);
        full(rank);
    }

    /// Takes part in an exchange if another rank has asked for one. Called between slices of input.
    void poll() {
        while (requests_.asked(round_)) {
            round(false);
        }
    }

    /// Takes part until all ranks have mapped their input, then empties the buffers. A rank that failed tells
    /// the others in its first round, so that they stop as well.
    void finish() {
        if (job_.failed()) {
            requests_.ask(round_);
            round(false);
        }
        {
            PhaseScope waiting(job_.clock, Phase::wait_aggregate);
            requests_.enter_barrier();
            while (!requests_.wait()) {
                while (requests_.asked(round_)) {
                    round(false);
                }
            }
        }
        round(true);
        requests_.drain(asks_of_others());
        buffer_ = WordBuffer();
        incoming_.buffer = WordBuffer();
    }

  private:
    /// Message of a rank to each other one at the start of a round.
    struct Header {
        std::uint64_t words = 0;
        std::uint64_t oversize_words = 0;
        std::uint64_t longest = 0;  ///< of this rank's messages to anyone
        std::uint64_t longest_oversize = 0;
        std::uint64_t failed = 0;
        std::uint64_t asks = 0;  ///< requests for rounds so far
    };
    static constexpr int kHeaderWords = sizeof(Header) / sizeof(std::uint64_t);

    static std::size_t partition_words(const JobState& job) {
        return job.options.send_buffer / static_cast<std::size_t>(job.comm.size()) / sizeof(std::uint64_t);
    }

    /// A rank that fell out of step here could never meet the others again, so that any error ends the job.
    void round(bool last) {
        try {
            hold_round(last);
        } catch (...) {
            abort_job(job_.comm, "exchange: " + job_.text_of_exception());
        }
    }

    void hold_round(bool last) {
        PhaseScope phase(job_.clock, Phase::aggregate);
        if (job_.memory.has_budget()) {
            get_ready_to_receive();
        }
        if (job_.stopped()) {
            discard();
        }
        const Header most = exchange_headers();
        if (most.failed != 0) {  // all ranks know: there may be no memory to receive into
            discard();
        } else {
            send_partitions(most.longest);
            if (most.longest_oversize != 0 && ready_for_oversize()) {
                send_oversize(most.longest_oversize);
            }
        }
        requests_.complete();
        ++round_;
        ++job_.counters.rounds;
        job_.counters.rounds_during_map += static_cast<std::uint64_t>(!last);
    }

    /// Gets memory for as much as can arrive. A rank that cannot says so in this round already.
    void get_ready_to_receive() {
        try {
            get_incoming(buffer_.words());
        } catch (...) {
            job_.fail();
        }
    }

    void get_incoming(std::size_t words) {
        if (incoming_.buffer.words() < words) {
            incoming_.buffer = WordBuffer();
            incoming_.buffer = WordBuffer(job_.memory, words);
        }
    }

    /// Gets memory for the records that no partition can hold; returns whether all ranks have it. Collective.
    bool ready_for_oversize() {
        try {
            std::size_t sending = 0;
            std::size_t receiving = 0;
            for (std::size_t r = 0; r < oversize_.size(); ++r) {
                sending += oversize_[r].size();
                receiving += theirs_[r].oversize_words;
            }
            get_incoming(receiving);
            job_.memory.make_room(sending * sizeof(std::uint64_t));
        } catch (...) {
            job_.fail();
        }
        int failed = job_.failed() ? 1 : 0;
        PhaseScope waiting(job_.clock, Phase::wait_aggregate);
        complete("MPI_Iallreduce", MPI_Iallreduce, MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX,
                 job_.comm.get());
        if (failed != 0) {
            job_.peer_failed = true;
            discard();
        }
        return failed == 0;
    }

    /// Discards the records of a job that has failed.
    void discard() {
        for (BlockType& block : blocks_) {
            block.clear();
        }
        empty_oversize();
    }

    void empty_oversize() {
        for (MeteredVector<std::uint64_t>& aside : oversize_) {
            aside = MeteredVector<std::uint64_t>(aside.get_allocator());
        }
    }

    /// Exchanges headers, which waits for all ranks. Returns the maxima over all ranks.
    Header exchange_headers() {
        std::vector<Header> mine(blocks_.size());
        Header own;
        own.failed = static_cast<std::uint64_t>(job_.failed());
        own.asks = requests_.asks();
        for (std::size_t r = 0; r < blocks_.size(); ++r) {
            blocks_[r].squeeze();
            mine[r].words = blocks_[r].used();
            mine[r].oversize_words = oversize_[r].size();
            own.longest = std::max(own.longest, mine[r].words);
            own.longest_oversize = std::max(own.longest_oversize, mine[r].oversize_words);
        }
        for (Header& header : mine) {
            header.longest = own.longest;
            header.longest_oversize = own.longest_oversize;
            header.failed = own.failed;
            header.asks = own.asks;
        }
        PhaseScope waiting(job_.clock, Phase::wait_aggregate);
        complete("MPI_Ialltoall", MPI_Ialltoall, mine.data(), kHeaderWords, MPI_UINT64_T, theirs_.data(),
                 kHeaderWords, MPI_UINT64_T, job_.comm.get());
        for (const Header& header : theirs_) {
            own.longest = std::max(own.longest, header.longest);
            own.longest_oversize = std::max(own.longest_oversize, header.longest_oversize);
            own.failed = std::max(own.failed, header.failed);
            job_.peer_failed = job_.peer_failed || header.failed != 0;
        }
        return own;
    }

    std::uint64_t asks_of_others() const {
        std::uint64_t sum = 0;
        for (const Header& header : theirs_) {
            sum += header.asks;
        }
        return sum - requests_.asks();
    }

    void send_partitions(std::size_t most) {
        for (std::size_t r = 0; r < blocks_.size(); ++r) {
            outgoing_.data[r] = blocks_[r].data();
            outgoing_.words[r] = blocks_[r].used();
            incoming_.words[r] = theirs_[r].words;
            job_.count_sent(static_cast<int>(r), blocks_[r].records(), blocks_[r].used());
            job_.log_exchange(static_cast<int>(r), blocks_[r]);
        }
        outgoing_.base = buffer_.data();
        job_.counters.alltoallv +=
            alltoallv(job_.comm, outgoing_, incoming_, most, job_.options.message_words, job_.memory);
        for (BlockType& block : blocks_) {
            block.clear();
        }
        receive();
    }

    void send_oversize(std::size_t most) {
        for (std::size_t r = 0; r < oversize_.size(); ++r) {
            outgoing_.data[r] = oversize_[r].data();
            outgoing_.words[r] = oversize_[r].size();
            incoming_.words[r] = theirs_[r].oversize_words;
            const std::uint64_t records =
                oversize_[r].empty() ? 0 : 1;  // every such record asks for its own round
            job_.count_sent(static_cast<int>(r), records, oversize_[r].size());
            job_.counters.oversize += records;
        }
        outgoing_.base = nullptr;
        job_.counters.alltoallv +=
            alltoallv(job_.comm, outgoing_, incoming_, most, job_.options.message_words, job_.memory);
        empty_oversize();
        receive();
    }

    void receive() {
        try {
            std::size_t total = 0;
            for (const std::size_t words : incoming_.words) {
                total += words;
            }
            job_.counters.received_bytes += total * sizeof(std::uint64_t);
            job_.counters.received += store_.ingest(incoming_.buffer.data(), total);
        } catch (...) {
            job_.fail();  // told to the others in the next round
        }
    }

    JobState& job_;
    Store& store_;
    RoundRequests requests_;
    WordBuffer buffer_;
    std::vector<BlockType> blocks_;
    std::vector<MeteredVector<std::uint64_t>> oversize_;
    Outgoing outgoing_;
    Incoming incoming_;
    std::vector<Header> theirs_;
    std::uint64_t round_ = 0;
};

}  // namespace kvasir::detail
