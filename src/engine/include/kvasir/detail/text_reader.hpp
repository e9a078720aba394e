#pragma once
// Reads the pieces of text that belong to this rank, slice by slice in bounded memory, and cuts them into
// tokens. A token belongs to the piece in which it begins: its reader follows it beyond the end of the piece,
// even over many slices, and the reader of the next piece skips it.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "kvasir/clock.hpp"
#include "kvasir/detail/pieces.hpp"
#include "kvasir/stats.hpp"
#include "kvasir/text_files.hpp"
#include "kvasir/text_filter.hpp"
#include "kvasir/tokenizer.hpp"

namespace kvasir::detail {

template <class Separator>
class TextReader {
  public:
    TextReader(const Communicator& comm, FileList files, const Options& options, TextFilter filter,
               std::function<void()> before_slice)
        : source_(comm, std::move(files), options),
          filter_(filter),
          before_slice_(std::move(before_slice)),
          slice_(options.slice) {}

    /// Reads one slice and passes its tokens, as PaddedView, to `sink`; returns false at the end.
    template <class Sink>
    bool next(PhaseClock& clock, Counters& counters, Sink&& sink) {
        std::size_t tokens = 0;  // bytes at the begin of the buffer that hold whole tokens only
        {
            PhaseScope phase(clock, Phase::read);
            if (!open_ && !open_piece()) {
                return false;
            }
            if (before_slice_) {
                before_slice_();
            }
            counters.input_bytes += read_slice();
            counters.input_chunks = source_.chunks();
            tokens = whole_tokens();
        }
        {
            PhaseScope phase(clock, Phase::map);
            char* begin = buffer_.data() + skipped_;
            for_each_token<Separator>(begin, filter_(begin, tokens - skipped_), sink);
        }
        std::memmove(buffer_.data(), buffer_.data() + tokens, filled_ - tokens);
        filled_ -= tokens;
        skipped_ = 0;
        return true;
    }

  private:
    bool open_piece() {
        if (!source_.open()) {
            return false;
        }
        // The byte before the piece tells whether its first token began earlier.
        skipping_ = source_.begin() != 0;
        at_ = source_.begin() - static_cast<std::uint64_t>(skipping_);
        filled_ = 0;
        open_ = true;
        return true;
    }

    /// Appends the next bytes to the buffer: up to the end of the piece, or beyond it for an unfinished
    /// token.
    std::size_t read_slice() {
        const std::uint64_t limit = at_ < source_.end() ? source_.end() : source_.file_size();
        // Most tokens end soon after the end of the piece: there, begin with little and double.
        const std::size_t most =
            at_ < source_.end() ? slice_ : std::min(slice_, std::max<std::size_t>(4096, filled_));
        auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(most, limit - at_));
        if (buffer_.size() < filled_ + bytes + kTokenPadding) {
            buffer_.resize(std::max(filled_ + slice_, 2 * filled_) + kTokenPadding);
        }
        beyond_ = at_ >= source_.end();
        bytes = source_.read(buffer_.data() + filled_, bytes, at_);
        fresh_ = filled_;
        filled_ += bytes;
        at_ += bytes;
        return bytes;
    }

    /// Returns how many bytes of the buffer may be cut into tokens now; sets `skipped_`, and closes the piece
    /// at its end.
    std::size_t whole_tokens() {
        const char* begin = buffer_.data();
        const char* end = begin + filled_;
        if (skipping_) {
            const char* found = std::find_if(begin, end, &is_separator);
            skipping_ = found == end;
            if (skipping_) {  // all of it belongs to an earlier piece
                open_ = at_ < source_.end();
                filled_ = 0;
                return 0;
            }
            skipped_ = static_cast<std::size_t>(found - begin);
        }
        if (beyond_) {  // only the token that began in the piece is still ours
            const char* found = std::find_if(begin + fresh_, end, &is_separator);
            if (found == end && at_ < source_.file_size()) {
                return 0;
            }
            open_ = false;
            filled_ = static_cast<std::size_t>(found - begin);
            return filled_;
        }
        if (at_ == source_.file_size()) {
            open_ = false;
            return filled_;
        }
        // Before fresh_ there is no separator: those bytes are the unfinished token of the last slice.
        const char* last = end;
        while (last != begin + fresh_ && !is_separator(last[-1])) {
            --last;
        }
        const bool none = last == begin + fresh_;
        const std::size_t tokens = none ? skipped_ : static_cast<std::size_t>(last - begin);
        open_ = at_ < source_.end() || tokens != filled_;
        return tokens;
    }

    static bool is_separator(char c) { return Separator::separates(c); }

    PieceSource source_;
    TextFilter filter_;
    std::function<void()> before_slice_;
    std::size_t slice_;
    std::vector<char> buffer_;
    std::size_t filled_ = 0;   ///< bytes in the buffer
    std::size_t fresh_ = 0;    ///< where the bytes of the last slice begin
    std::size_t skipped_ = 0;  ///< bytes at the begin that belong to an earlier piece
    bool open_ = false;        ///< in the middle of a piece
    bool skipping_ = false;    ///< the end of the token of an earlier piece has not been seen
    bool beyond_ = false;      ///< the last slice lies behind the end of the piece
    std::uint64_t at_ = 0;     ///< next byte of the file
};

}  // namespace kvasir::detail
