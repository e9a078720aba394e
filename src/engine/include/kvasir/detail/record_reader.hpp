#pragma once
// Reads the records of one length that belong to this rank. A record belongs to the piece in which it begins.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kvasir/clock.hpp"
#include "kvasir/detail/pieces.hpp"
#include "kvasir/error.hpp"
#include "kvasir/padded_view.hpp"
#include "kvasir/stats.hpp"
#include "kvasir/text_files.hpp"

namespace kvasir::detail {

class RecordReader {
  public:
    RecordReader(const Communicator& comm, FileList files, const Options& options, std::size_t bytes)
        : source_(comm, checked(std::move(files), bytes), options),
          bytes_(bytes),
          slice_(std::max<std::size_t>(1, options.slice / bytes) * bytes) {}

    /// Reads one slice and passes its records, as PaddedView, to `sink`; returns false at the end.
    template <class Sink>
    bool next(PhaseClock& clock, Counters& counters, Sink&& sink) {
        std::size_t filled = 0;
        {
            PhaseScope phase(clock, Phase::read);
            if (at_ >= source_.end() && !open_piece()) {
                return false;
            }
            filled = read_slice();
            counters.input_bytes += filled;
            counters.input_chunks = source_.chunks();
        }
        PhaseScope phase(clock, Phase::map);
        for (std::size_t at = 0; at != filled; at += bytes_) {
            sink(PaddedView(buffer_.data() + at, bytes_));
        }
        return true;
    }

  private:
    static constexpr std::size_t kPadding = 64;

    /// Says the same on all ranks, who see the same list. What a compressed file holds is seen later.
    static FileList checked(FileList files, std::size_t bytes) {
        if (bytes == 0) {
            throw Error("record length: 0 bytes; it must be at least 1");
        }
        for (std::size_t i = 0; i < files.paths.size(); ++i) {
            if (files.compressions[i] == Compression::none && files.sizes[i] % bytes != 0) {
                refuse(files.paths[i], files.sizes[i], bytes);
            }
        }
        return files;
    }
    [[noreturn]] static void refuse(const std::string& path, std::uint64_t size, std::size_t bytes) {
        throw Error("cannot read " + path + ": " + std::to_string(size) +
                    " bytes are no whole number of records of " + std::to_string(bytes) + " bytes");
    }

    bool open_piece() {
        if (!source_.open()) {
            return false;
        }
        const std::uint64_t cut = source_.begin() % bytes_;
        at_ = source_.begin() + (cut == 0 ? 0 : bytes_ - cut);
        return true;
    }

    /// Returns the bytes of whole records that were read, possibly none.
    std::size_t read_slice() {
        if (at_ >= source_.end()) {  // a piece shorter than a record, in the middle of one
            return 0;
        }
        std::uint64_t left = source_.end() - at_;
        left = left >= slice_ ? slice_ : (left + bytes_ - 1) / bytes_ * bytes_;
        if (buffer_.empty()) {
            buffer_.resize(slice_ + kPadding);
        }
        const std::size_t got = source_.read(buffer_.data(), static_cast<std::size_t>(left), at_);
        at_ += got;
        if (got % bytes_ != 0) {
            refuse(source_.path(), at_, bytes_);
        }
        return got;
    }

    PieceSource source_;
    std::size_t bytes_;
    std::size_t slice_;
    std::vector<char> buffer_;
    std::uint64_t at_ = 0;
};

}  // namespace kvasir::detail
