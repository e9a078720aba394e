#pragma once
// Exchange that adapts to its records: blocks travel as those of ByFill do, but how large a table records are
// combined in before, if in any, follows from the hits there (CombineChoice). A large table leaves in pieces.
// Where nothing is combined and the store groups records on arrival, those of keys that come often never are
// records: they go to the lists of this rank's store, or as lists of values to that of another one.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kvasir/detail/block.hpp"
#include "kvasir/detail/by_fill.hpp"
#include "kvasir/detail/combine_choice.hpp"
#include "kvasir/detail/job_state.hpp"

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
          combining_(combining),
          choice_(Base::block_words() / kWordsOfShortRecord * static_cast<std::size_t>(job.comm.size())) {
        if (combining) {
            const auto ranks = static_cast<std::size_t>(job.comm.size());
            for (std::size_t r = 0; r < ranks; ++r) {
                large_.emplace_back(job.memory, job.options.send_buffer / ranks / sizeof(std::uint64_t));
            }
            open_large();
        } else if (store.groups_on_arrival() && !job.options.events) {
            open_lists();
        }
    }

    /// Returns whether list() takes records still.
    bool listing() const { return listing_ranks_ != 0; }
    /// Takes a record of a key without a tail as a value of a list; returns whether it did.
    bool list(int rank, const KeyCode& key, const Value& value) requires(Lists::kTakesAny) {
        Listed& listed = listed_[static_cast<std::size_t>(rank)];
        if (!listed.open) {
            return false;
        }
        const bool taken = listed.lists ? listed.lists->add(key, value) : this->store().list(key, value);
        if (!taken) [[unlikely]] {
            refused(rank, listed);
            return false;
        }
        ++listed.values;
        if (listed.lists && listed.words_with_one_more() > Base::block_words()) [[unlikely]] {
            ship_lists(rank, listed);
        }
        return true;
    }

    using Base::append;
    using Base::block;
    using Base::oversize;

    /// Whether to look for equal keys.
    bool combining() const { return choice_.table() != Table::none; }
    void note(bool hit) { choice_.note(hit); }

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
        if (!combining_ || this->job().stopped()) {
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

    /// Sends the rest, then receives until all ranks have ended. A rank that failed tells the others.
    void finish() {
        if (large()) {
            this->guarded([&] { leave_large(); });
        }
        large_.clear();
        finish_lists();
        Base::finish();
    }

  private:
    static constexpr std::size_t kWordsOfShortRecord = 3;
    static constexpr std::ptrdiff_t kPieceWords = 1 << 17U;

    /// Values for a rank that leave as lists, or have gone to this rank's own.
    struct Listed {
        std::optional<Lists> lists;  ///< none: the store's
        std::uint64_t values = 0;    ///< in them, or gone to the store's
        bool open = false;           ///< whether records are taken

        std::size_t words_with_one_more() const { return Lists::words_of(values + 1, lists->keys() + 1); }
    };

    /// Begins to list: for other ranks only where a message holds many values.
    void open_lists() {
        if constexpr (Lists::kTakesAny) {
            constexpr std::size_t fewest_words = 4096;
            listed_.resize(static_cast<std::size_t>(this->job().comm.size()));
            for (Listed& listed : listed_) {
                if (Base::block_words() >= fewest_words) {
                    listed.lists.emplace(this->job().memory);
                    listed.open = true;
                }
            }
            Listed& own = listed_[static_cast<std::size_t>(this->job().comm.rank())];
            own.lists.reset();
            own.open = true;
            listing_ranks_ = std::ranges::count(listed_, true, &Listed::open);
        }
    }

    /// Lists for other ranks are given up where keys hardly come again, this rank's own where the store has.
    void refused(int rank, Listed& listed) {
        if (!listed.lists) {
            if (!this->store().groups_on_arrival()) {
                close(listed);
            }
        } else if (listed.lists->full() && !Lists::worthwhile(listed.values, listed.lists->keys())) {
            ship_lists(rank, listed);
        }
    }

    void ship_lists(int rank, Listed& listed) {
        if (listed.values == 0 || this->job().stopped()) {
            return;
        }
        const bool worthwhile = Lists::worthwhile(listed.values, listed.lists->keys());
        this->guarded([&] {
            this->ship(rank);  // the buffer may hold records
            PhaseScope phase(this->job().clock, Phase::aggregate);
            const std::size_t words = listed.lists->write(this->open_buffer(rank));
            this->job().count_sent(rank, listed.values, words);
            this->send_open(rank, words, Base::kLists);
        });
        listed.lists->clear();
        listed.values = 0;
        if (!worthwhile) {
            listed.lists.reset();
            close(listed);
        }
    }

    void close(Listed& listed) {
        listed.open = false;
        --listing_ranks_;
    }

    /// Sends what the lists hold, and counts what went to this rank's own.
    void finish_lists() {
        if constexpr (Lists::kTakesAny) {
            for (std::size_t r = 0; r < listed_.size(); ++r) {
                Listed& listed = listed_[r];
                const auto rank = static_cast<int>(r);
                if (listed.lists) {
                    ship_lists(rank, listed);
                } else if (rank == this->job().comm.rank()) {
                    const std::size_t words = words_for(sizeof(Value)) * listed.values;
                    this->job().count_sent(rank, listed.values, words);
                    this->job().counters.received += listed.values;
                    this->job().counters.received_bytes += words * sizeof(std::uint64_t);
                }
            }
            listed_.clear();
            listing_ranks_ = 0;
        }
    }

    bool large() const { return combining_ && choice_.table() == Table::large; }

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

    /// Sends what the large tables hold.
    void ship_large() {
        for (std::size_t r = 0; r < large_.size() && !this->job().stopped(); ++r) {
            ship_large(static_cast<int>(r));
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

    void ship_large(int rank) {
        PhaseScope phase(this->job().clock, Phase::aggregate);
        BlockType& table = this->block(rank);
        if (table.used() == 0) {
            return;
        }
        table.squeeze();
        this->count_shipped(rank);
        if (rank == this->job().comm.rank()) {
            this->take_in(table.data(), table.used());
        } else {
            this->send_and_take(rank, pieces(table.data(), table.used()));
        }
        table.clear();
    }

    /// Cuts records into messages of about a mebibyte.
    static std::vector<typename Base::Piece> pieces(const std::uint64_t* at, std::size_t words) {
        std::vector<typename Base::Piece> found;
        const std::uint64_t* const end = at + words;
        while (at != end) {
            const std::uint64_t* const begin = at;
            while (at != end && (at == begin || at + R::words(at) - begin <= kPieceWords)) {
                at += R::words(at);
            }
            found.push_back({begin, static_cast<std::size_t>(at - begin)});
        }
        return found;
    }

    bool combining_;
    CombineChoice choice_;
    std::vector<WordBuffer> large_;     ///< one for each rank
    std::vector<Listed> listed_;        ///< the same; none where records are combined, or not listed
    std::ptrdiff_t listing_ranks_ = 0;  ///< those that take records
};

}  // namespace kvasir::detail
