#pragma once
// Asynchronous exchange: a block for one rank leaves when it is full, a few of them may be in flight at a
// time, and blocks that arrive are received between two slices of input. A rank that needs a block while all
// are under way takes in what arrives meanwhile, so that two ranks cannot block each other. After its map
// each rank sends every other one a last message; messages of two ranks do not overtake each other, so who
// has them all has all. Blocks are small at first and grow with what has been sent, so that those of a small
// job take little of its memory.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kvasir/detail/block.hpp"
#include "kvasir/detail/job_state.hpp"
#include "kvasir/error.hpp"
#include "kvasir/wait.hpp"

namespace kvasir::detail {

template <class BlockOfRecords, class Store>
class ByFill {
  public:
    using BlockType = BlockOfRecords;

    /// `combining`: all open blocks together are the table that records are combined in, and should fit the
    /// cache.
    ByFill(JobState& job, Store& store, bool combining)
        : job_(job), store_(store), in_flight_(static_cast<std::size_t>(job.options.in_flight)) {
        const auto ranks = static_cast<std::size_t>(job.comm.size());
        const std::size_t share = job.options.send_buffer / (ranks * (in_flight_ + 1));
        const std::size_t most = combining ? job.options.combine_cache / ranks : kLargestBlock;
        block_words_ = std::max<std::size_t>(std::min(share, most) / sizeof(std::uint64_t), 1);
        const bool growing = !combining && !job.memory.has_budget();
        first_words_ = growing ? std::min(kFirstWords, block_words_) : block_words_;
        for (std::size_t r = 0; r < ranks; ++r) {
            lanes_.emplace_back(job.memory);
            lanes_.back().buffers.add(job.memory, first_words_);
            attach_open(static_cast<int>(r));
        }
        if (job.memory.has_budget()) {
            incoming_ = WordBuffer(job.memory, block_words_);
        }
    }

    BlockType& block(int rank) { return lanes_[static_cast<std::size_t>(rank)].block; }

    /// Appends a record to the block for `rank`, which is sent when there is no room; a record that no block
    /// can hold is sent by itself.
    template <class Key, class Value>
    void append(int rank, const Key& key, const Value& value) {
        if (block(rank).append(key, value) == Put::full) [[unlikely]] {
            full(rank);
            if (block(rank).append(key, value) == Put::full) {
                oversize(rank, key, value);
            }
        }
    }

    /// Sends the block for `rank`, which is full, and opens another one.
    void full(int rank) {
        guarded([&] { ship(rank); });
    }

    /// Sends a record that no block can hold as a message of its own.
    template <class Key, class Value>
    void oversize(int rank, const Key& key, const Value& value) {
        WordBuffer record(job_.memory, BlockType::words_of(key, value));  // no room: the map fails
        BlockType::write(key, value, record.data());
        guarded([&] {
            PhaseScope phase(job_.clock, Phase::aggregate);
            ++job_.counters.oversize;
            job_.count_sent(rank, 1, record.words());
            if (rank == job_.comm.rank()) {
                take_in(record.data(), record.words());
                return;
            }
            std::vector<MPI_Request> requests;
            begin_to_send(rank, {record.data(), record.words()}, requests);
            take_until_sent(requests);
        });
    }

    /// Receives the blocks that have arrived. Called between slices of input.
    void poll() {
        guarded([&] { (void)take_arrived(); });
    }

    /// Sends the rest, then receives until all ranks have ended. A rank that failed tells the others.
    void finish() {
        guarded([&] {
            for (int rank = 0; rank < job_.comm.size(); ++rank) {
                Lane& lane = lanes_[static_cast<std::size_t>(rank)];
                if (!job_.stopped() && lane.block.used() != 0) {
                    ship(rank);
                }
            }
            std::uint64_t failed = job_.failed() ? 1 : 0;
            std::vector<MPI_Request> last;
            for (int rank = 0; rank < job_.comm.size(); ++rank) {
                if (rank != job_.comm.rank()) {
                    last.emplace_back();
                    check_mpi(MPI_Isend(&failed, 1, MPI_UINT64_T, rank, kLast, job_.comm.get(), &last.back()),
                              "MPI_Isend");
                }
            }
            PhaseScope waiting(job_.clock, Phase::wait_aggregate);
            take_until([&] { return ended_ + 1 == job_.comm.size(); });
            wait(last, "MPI_Isend");
            for (Lane& lane : lanes_) {
                wait(lane.buffers.requests, "MPI_Isend");
            }
        });
        lanes_.clear();
        incoming_ = WordBuffer();
    }

  protected:
    /// Records in one piece of memory.
    struct Piece {
        const std::uint64_t* data;
        std::size_t words;
    };

    /// Memory of messages to one rank: the one that is being filled, and those under way.
    struct Buffers {
        std::vector<WordBuffer> all;
        std::vector<MPI_Request> requests;
        std::size_t open = 0;
        std::size_t sent = 0;  ///< words

        void add(MemoryMeter& meter, std::size_t words) {
            all.emplace_back(meter, words);
            requests.push_back(MPI_REQUEST_NULL);
        }
        /// Returns the memory of the message that is being filled.
        std::uint64_t* data() { return all[open].data(); }
        std::size_t words() const { return all[open].words(); }
    };
    /// Blocks for one rank.
    struct Lane {
        BlockType block;
        Buffers buffers;
        std::uint64_t shipped = 0;

        explicit Lane(MemoryMeter& meter) : block(meter) {}
    };

    static constexpr int kRecords = 2;
    static constexpr int kLast = 3;
    static constexpr int kLists = 4;  ///< pieces of lists

    JobState& job() const { return job_; }
    Store& store() const { return store_; }
    std::size_t block_words() const { return block_words_; }  ///< capacity of a block, at most
    /// Returns the words of the next message of `buffers`.
    std::size_t message_words(const Buffers& buffers) const {
        return std::clamp(std::bit_floor(buffers.sent / kSentPart), first_words_, block_words_);
    }

    /// A rank that fell out of step here could never meet the others again, so that any error ends the job.
    template <class Action>
    void guarded(Action&& action) {
        try {
            action();
        } catch (...) {
            abort_job(job_.comm, "exchange: " + job_.text_of_exception());
        }
    }

    /// Begins to send a message that stays where it is until it has been delivered.
    void begin_to_send(int rank, const Piece& piece, std::vector<MPI_Request>& requests) {
        requests.emplace_back();
        check_mpi(MPI_Isend(piece.data, message_length(piece.words), MPI_UINT64_T, rank, kRecords,
                            job_.comm.get(), &requests.back()),
                  "MPI_Isend");
    }
    /// Takes in what arrives until all such messages have been delivered.
    void take_until_sent(std::vector<MPI_Request>& requests) {
        PhaseScope waiting(job_.clock, Phase::wait_aggregate);
        take_until([&] {
            int done = 0;
            check_mpi(
                MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
                "MPI_Testall");
            return done != 0;
        });
    }

    /// Counts and logs the block for `rank`, which is about to be sent.
    void count_shipped(int rank) {
        Lane& lane = lanes_[static_cast<std::size_t>(rank)];
        job_.count_sent(rank, lane.block.records(), lane.block.used());
        job_.log_exchange(rank, lane.block);
        job_.counters.rounds = std::max(job_.counters.rounds, ++lane.shipped);
    }

    /// Opens the buffer of `rank` that is not under way, empty.
    void attach_open(int rank) {
        Lane& lane = lanes_[static_cast<std::size_t>(rank)];
        lane.block.attach(lane.buffers.data(), lane.buffers.words());
    }

    static int message_length(std::size_t words) {
        if (words > static_cast<std::size_t>(INT32_MAX)) {
            throw Error("a record of " + std::to_string(words * 8) + " bytes; at most 16 GiB can be sent");
        }
        return static_cast<int>(words);
    }

    void ship(int rank) {
        PhaseScope phase(job_.clock, Phase::aggregate);
        Lane& lane = lanes_[static_cast<std::size_t>(rank)];
        if (lane.block.used() == 0) {
            return;  // it is the record that is too long
        }
        lane.block.squeeze();
        count_shipped(rank);
        if (rank == job_.comm.rank()) {
            take_in(lane.block.data(), lane.block.used());
            lane.buffers.sent += lane.block.used();
            grow_open(lane.buffers);
        } else {
            send_open(rank, lane.buffers, lane.block.used(), kRecords);
        }
        attach_open(rank);
    }

    /// Sends the first `words` words of the message that is being filled, and opens another one.
    void send_open(int rank, Buffers& buffers, std::size_t words, int tag) {
        check_mpi(MPI_Isend(buffers.data(), message_length(words), MPI_UINT64_T, rank, tag, job_.comm.get(),
                            &buffers.requests[buffers.open]),
                  "MPI_Isend");
        buffers.sent += words;
        buffers.open = free_buffer(buffers);
        grow_open(buffers);
    }

    /// Makes the buffer that is open, and empty, as long as the next message.
    void grow_open(Buffers& buffers) {
        if (buffers.words() < message_words(buffers)) {
            WordBuffer& open = buffers.all[buffers.open];
            open = WordBuffer();
            open = WordBuffer(job_.memory, message_words(buffers));
        }
    }

    /// Returns a buffer that is not in flight: one that has been delivered, a new one, or else the next that
    /// is delivered.
    std::size_t free_buffer(Buffers& buffers) {
        PhaseScope waiting(job_.clock, Phase::wait_aggregate);
        std::size_t free = 0;
        take_until([&] {
            for (free = 0; free < buffers.requests.size(); ++free) {
                int done = 0;
                check_mpi(MPI_Test(&buffers.requests[free], &done, MPI_STATUS_IGNORE), "MPI_Test");
                if (done != 0) {
                    return true;
                }
            }
            if (buffers.all.size() <= in_flight_ && job_.memory.has_room(block_words_ * 8)) {
                buffers.add(job_.memory, message_words(buffers));
                return true;
            }
            return false;
        });
        return free;
    }

    /// Receives what arrives until `ready()` returns true.
    template <class Ready>
    void take_until(Ready&& ready) {
        for (Pauses pauses; !ready();) {
            if (take_arrived()) {
                pauses.restart();
            } else {
                pauses.pause();
            }
        }
    }

    /// Receives the blocks that have arrived. Returns whether there was one.
    bool take_arrived() {
        for (bool any = false;; any = true) {
            int found = 0;
            MPI_Message message = MPI_MESSAGE_NULL;
            MPI_Status status;
            check_mpi(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, job_.comm.get(), &found, &message, &status),
                      "MPI_Improbe");
            if (found == 0) {
                return any;
            }
            take(message, status);
        }
    }

    void take(MPI_Message message, MPI_Status& status) {
        PhaseScope phase(job_.clock, Phase::aggregate);
        int words = 0;
        MPI_Get_count(&status, MPI_UINT64_T, &words);
        const auto received = static_cast<std::size_t>(words);
        const auto receive = [&](WordBuffer& buffer) {
            complete("MPI_Imrecv", MPI_Imrecv, buffer.data(), words, MPI_UINT64_T, &message);
        };
        if constexpr (kTakesLists) {
            if (status.MPI_TAG == kLists) {
                WordBuffer lists(job_.memory, received);
                receive(lists);
                take_in(received, [&] { return store_.take_lists(std::move(lists)); });
                return;
            }
        }
        if (incoming_.words() < received) {
            incoming_ = WordBuffer();
            incoming_ = WordBuffer(job_.memory, received);
        }
        receive(incoming_);
        if (status.MPI_TAG == kLast) {
            ++ended_;
            job_.peer_failed = job_.peer_failed || incoming_.data()[0] != 0;
        } else {
            take_in(incoming_.data(), received);
        }
    }

    /// Gives records to the store.
    void take_in(const std::uint64_t* data, std::size_t words) {
        take_in(words, [&] { return store_.ingest(data, words); });
    }

  private:
    static constexpr bool kTakesLists = requires(Store & store, WordBuffer lists) {
        store.take_lists(std::move(lists));
    };

    /// Calls ingest(), which gives `words` words to the store and returns the number of records in them.
    template <class Ingest>
    void take_in(std::size_t words, Ingest&& ingest) {
        job_.counters.received_bytes += words * sizeof(std::uint64_t);
        if (job_.stopped()) {
            return;
        }
        try {
            job_.counters.received += ingest();
        } catch (...) {
            job_.fail();  // told to the others at the end
        }
    }

    static constexpr std::size_t kLargestBlock = 1U << 20U;
    static constexpr std::size_t kFirstWords = 1U << 13U;  ///< of a block that grows
    static constexpr std::size_t kSentPart = 64;           ///< a block is such a part of what has been sent
    JobState& job_;
    Store& store_;
    std::size_t in_flight_;
    std::size_t block_words_ = 0;
    std::size_t first_words_ = 0;
    std::vector<Lane> lanes_;
    WordBuffer incoming_;
    int ended_ = 0;  ///< other ranks whose last message has come
};

}  // namespace kvasir::detail
