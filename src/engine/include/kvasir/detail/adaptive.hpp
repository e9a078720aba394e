#pragma once
// Exchange that adapts to its records: blocks travel as those of ByFill do, but how large a table records are
// combined in before, if in any, follows from the hits there (CombineChoice). A large table leaves in pieces.
// Where nothing is combined and the store groups records on arrival, those of keys that come often never are
// records: they go to the lists of this rank's store, or in pieces of values to those of another one.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kvasir/detail/block.hpp"
#include "kvasir/detail/by_fill.hpp"
#include "kvasir/detail/combine_choice.hpp"
#include "kvasir/detail/job_state.hpp"
#include "kvasir/detail/record_pages.hpp"

namespace kvasir::detail {

template <class Key, class Value, class Store>
class Adaptive : private ByFill<Block<Key, Value>, Store> {
    using Base = ByFill<Block<Key, Value>, Store>;
    using R = RecordTraits<Key, Value>;
    using Table = CombineChoice::Table;
    using Lists = typename Store::Lists;

  public:
    using BlockType = Block<Key, Value>;

    /// `combining`: whether the job combines before the exchange; if not, this is ByFill.
    Adaptive(JobState& job, Store& store, bool combining)
        : Base(job, store, combining),
          choice_(Base::block_words() / kWordsOfShortRecord * static_cast<std::size_t>(job.comm.size())) {
        if (combining) {
            const auto ranks = static_cast<std::size_t>(job.comm.size());
            for (std::size_t r = 0; r < ranks; ++r) {
                large_.emplace_back(job.memory, job.options.send_buffer / ranks / sizeof(std::uint64_t));
            }
            open_large();
        } else if (store.groups_on_arrival() && !job.options.events) {
            listing_ = true;
            // Another rank's values are sent as such only where a message holds many of them.
            if (Base::block_words() >= kFewestWords) {
                messages_.resize(static_cast<std::size_t>(job.comm.size()));
            }
        }
    }

    /// Returns whether list() takes records still.
    bool listing() const { return listing_; }
    /// Takes a record of a key without a tail as a value of a list; returns whether it did.
    bool list(const KeyCode& key, const Value& value) requires(Lists::kTakesAny) {
        const bool taken = this->store().list(
            key, value, listed_, [this](std::uint64_t hash) { return place_of(hash); }, shipping());
        listed_ += static_cast<std::uint64_t>(taken);
        if (!taken) [[unlikely]] {
            listing_ = this->store().groups_on_arrival();
        }
        return taken;
    }

    using Base::append;
    using Base::block;
    using Base::oversize;

    /// Whether to look for equal keys.
    bool combining() const { return choice_.table() != Table::none; }
    void note(bool hit) { choice_.note(hit); }
    /// Chooses the small table where records come that have been combined before: they would fill a large one
    /// and are not looked for.
    void stay_small() {
        const bool was_large = large();
        choice_.choose_small();
        if (was_large) {
            this->guarded([&] { leave_large(); });
        }
    }

    /// Sends the block for `rank`, which is full, and opens another one. Large tables all leave at once, so
    /// that the hits in them are those of tables of equal age.
    void full(int rank) {
        if (!large()) {
            Base::full(rank);
            return;
        }
        this->guarded([&] {
            if (choice_.when_full() == Table::large) {
                ship_large();
            } else {
                leave_large();
            }
        });
    }

    /// Receives the blocks that have arrived, and chooses the table. Called between slices of input.
    void poll() {
        Base::poll();
        if (large_.empty() || this->job().stopped()) {
            return;
        }
        this->guarded([&] {
            if (choice_.growing()) {
                if (held() > Base::block_words() * large_.size() && choice_.at_small_size() == Table::small) {
                    leave_large();
                }
            } else if (choice_.before_quarter()) {
                if (held() > large_[0].words() * large_.size() / 4 && choice_.at_quarter() == Table::none) {
                    leave_large();
                }
            } else if (!large() && choice_.in_between() == Table::large) {
                for (std::size_t r = 0; r < large_.size(); ++r) {
                    this->ship(static_cast<int>(r));
                }
                open_large();
            }
        });
    }

    /// Opens small blocks for all that is still to come: records that have been combined already.
    void end_of_map() {
        if (large()) {
            this->guarded([&] { leave_large(); });
        }
        large_.clear();
    }

    /// Sends the rest, then receives until all ranks have ended. A rank that failed tells the others.
    void finish() {
        end_of_map();
        finish_lists();
        Base::finish();
        this->guarded([&] {
            for (Message& message : messages_) {
                wait(message.buffers.requests, "MPI_Isend");
            }
        });
        messages_.clear();
    }

  private:
    static constexpr std::size_t kWordsOfShortRecord = 3;
    static constexpr std::ptrdiff_t kPieceWords = 1 << 17U;

    static constexpr std::size_t kFewestWords = 4096;

    /// Pieces of lists for one rank.
    struct Message {
        typename Base::Buffers buffers;
        std::size_t words = 0;  ///< used
        std::uint64_t values = 0;
    };

    /// Returns where a key's records belong, as ValueLists has it.
    int place_of(std::uint64_t hash) {
        const int rank = this->job().router.route(hash);
        if (rank == this->job().comm.rank()) {
            return Lists::kHere;
        }
        return messages_.empty() ? Lists::kNowhere : rank;
    }

    auto shipping() {
        return [this](int rank, const std::uint64_t* piece, std::size_t words, std::size_t values) {
            if (!this->job().stopped()) {
                this->guarded([&] { add_piece(rank, piece, words, values); });
            }
        };
    }

    void add_piece(int rank, const std::uint64_t* piece, std::size_t words, std::size_t values) {
        Message& message = messages_[static_cast<std::size_t>(rank)];
        if (message.buffers.all.empty()) {
            message.buffers.add(this->job().memory, Base::message_words(message.buffers));
        } else if (message.words + words > message.buffers.words()) {
            send_message(rank, message);
        }
        copy_words(message.buffers.data() + message.words, piece, words);
        message.words += words;
        message.values += values;
        shipped_ += values;
    }

    void send_message(int rank, Message& message) {
        PhaseScope phase(this->job().clock, Phase::aggregate);
        this->job().count_sent(rank, message.values, message.words);
        this->send_open(rank, message.buffers, message.words, Base::kLists);
        message.words = 0;
        message.values = 0;
    }

    /// Sends what the lists hold of other ranks' keys, and counts what went to this rank's own.
    void finish_lists() {
        if constexpr (Lists::kTakesAny) {
            this->store().flush_lists(shipping());
            this->guarded([&] {
                for (std::size_t r = 0; r < messages_.size(); ++r) {
                    if (messages_[r].words != 0 && !this->job().stopped()) {
                        send_message(static_cast<int>(r), messages_[r]);
                    }
                }
            });
            const std::uint64_t kept = listed_ - shipped_;
            const std::size_t words = words_for(sizeof(Value)) * kept;
            this->job().count_sent(this->job().comm.rank(), kept, words);
            this->job().counters.received += kept;
            this->job().counters.received_bytes += words * sizeof(std::uint64_t);
            listing_ = false;
        }
    }

    bool large() const { return !large_.empty() && choice_.table() == Table::large; }

    std::size_t held() {
        std::size_t words = 0;
        for (std::size_t r = 0; r < large_.size(); ++r) {
            words += this->block(static_cast<int>(r)).used();
        }
        return words;
    }

    void open_large() {
        for (std::size_t r = 0; r < large_.size(); ++r) {
            this->block(static_cast<int>(r)).attach(large_[r].data(), large_[r].words());
        }
    }

    /// Sends what the large tables hold, and takes this rank's own in meanwhile.
    void ship_large() {
        PhaseScope phase(this->job().clock, Phase::aggregate);
        const int own = this->job().comm.rank();
        std::vector<MPI_Request> requests;
        for (int rank = 0; rank < this->job().comm.size(); ++rank) {
            BlockType& table = this->block(rank);
            if (table.used() == 0) {
                continue;
            }
            table.squeeze();
            this->count_shipped(rank);
            if (rank != own) {
                begin_to_send_pieces(rank, table.data(), table.used(), requests);
            }
        }
        this->take_in(this->block(own).data(), this->block(own).used());
        this->take_until_sent(requests);
        for (std::size_t r = 0; r < large_.size(); ++r) {
            this->block(static_cast<int>(r)).clear();
        }
    }

    /// Does the same and opens blocks of ByFill's in their place.
    void leave_large() {
        ship_large();
        for (std::size_t r = 0; r < large_.size(); ++r) {
            this->block(static_cast<int>(r)).forget_index();
            this->attach_open(static_cast<int>(r));
        }
    }

    /// Begins to send records in messages of about a mebibyte.
    void begin_to_send_pieces(int rank, const std::uint64_t* at, std::size_t words,
                              std::vector<MPI_Request>& requests) {
        const std::uint64_t* const end = at + words;
        while (at != end) {
            const std::uint64_t* const begin = at;
            while (at != end && (at == begin || at + R::words(at) - begin <= kPieceWords)) {
                at += R::words(at);
            }
            this->begin_to_send(rank, {begin, static_cast<std::size_t>(at - begin)}, requests);
        }
    }

    CombineChoice choice_;
    std::vector<WordBuffer> large_;  ///< one for each rank until the map ends, where records are combined
    bool listing_ = false;
    std::uint64_t listed_ = 0;       ///< values that went to lists
    std::uint64_t shipped_ = 0;      ///< those of other ranks' keys that have left again
    std::vector<Message> messages_;  ///< one for each rank; none where other ranks' keys are not listed
};

}  // namespace kvasir::detail
