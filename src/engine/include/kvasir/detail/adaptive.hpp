#pragma once
// Exchange that adapts to its records: blocks travel as those of ByFill do, but how large a table records are
// combined in before, if in any, follows from the hits there (CombineChoice). A large table leaves in pieces.

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
        }
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
        Base::finish();
    }

  private:
    static constexpr std::size_t kWordsOfShortRecord = 3;
    static constexpr std::ptrdiff_t kPieceWords = 1 << 17U;

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
    std::vector<WordBuffer> large_;  ///< one for each rank
};

}  // namespace kvasir::detail
