#include "kvasir/detail/pieces.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "kvasir/error.hpp"

namespace kvasir::detail {

Pieces::Pieces(const Communicator& comm, const FileList& files, const Options& options)
    : files_(files), chunk_bytes_(options.chunk), total_(files.total()) {
    const auto rank = static_cast<std::uint64_t>(comm.rank());
    const auto ranks = static_cast<std::uint64_t>(comm.size());
    // Not total * rank / ranks: that product overflows for large inputs.
    share_begin_ = total_ / ranks * rank + std::min(rank, total_ % ranks);
    share_end_ = share_begin_ + total_ / ranks + static_cast<std::uint64_t>(rank < total_ % ranks);
    if (options.input == InputMode::dynamic) {
        counter_ = std::make_unique<SharedCounter>(comm);
    }
}

bool Pieces::next_chunk() {
    if (counter_) {
        const std::uint64_t number = counter_->next();
        if (number >= (total_ + chunk_bytes_ - 1) / chunk_bytes_) {
            return false;
        }
        begin_ = number * chunk_bytes_;
        end_ = std::min(total_, begin_ + chunk_bytes_);
    } else {
        if (share_begin_ == share_end_) {
            return false;
        }
        begin_ = share_begin_;
        end_ = share_end_;
        share_begin_ = share_end_;
    }
    ++chunks_;
    return true;
}

std::optional<Piece> Pieces::next() {
    for (;;) {
        const std::optional<Piece> part = next_part();
        if (!part || files_.compressions[part->file] == Compression::none) {
            return part;
        }
        // Of a compressed file the one part that holds its middle stands for all of it: so equal files go to
        // as many ranks as there are.
        const std::uint64_t middle = files_.sizes[part->file] / 2;
        if (part->begin <= middle && middle < part->end) {
            return Piece{part->file, 0, files_.sizes[part->file]};
        }
    }
}

std::optional<Piece> Pieces::next_part() {
    if (begin_ == end_ && !next_chunk()) {
        return std::nullopt;
    }
    while (begin_ >= file_begin_ + files_.sizes[file_]) {  // chunks only ever go forward
        file_begin_ += files_.sizes[file_];
        ++file_;
    }
    const std::uint64_t end = std::min(end_, file_begin_ + files_.sizes[file_]);
    const Piece piece{file_, begin_ - file_begin_, end - file_begin_};
    begin_ = end;
    return piece;
}

FileReader::~FileReader() { close(); }

void FileReader::close() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
        descriptor_ = -1;
    }
}

void FileReader::open(const std::string& path) {
    if (descriptor_ >= 0 && path == path_) {
        return;
    }
    close();
    path_ = path;
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
        throw file_error("cannot read", path, errno);
    }
}

void FileReader::read(char* to, std::size_t bytes, std::uint64_t offset) {
    while (bytes != 0) {
        const ssize_t got = ::pread(descriptor_, to, bytes, static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            throw file_error("cannot read", path_, errno);
        }
        if (got == 0) {
            throw Error("cannot read " + path_ + ": it became shorter while it was being read");
        }
        to += got;
        offset += static_cast<std::uint64_t>(got);
        bytes -= static_cast<std::size_t>(got);
    }
}

PieceSource::PieceSource(const Communicator& comm, FileList files, const Options& options)
    : files_(std::make_unique<FileList>(std::move(files))), pieces_(comm, *files_, options) {}

bool PieceSource::open() {
    text_.reset();
    const std::optional<Piece> piece = pieces_.next();
    if (!piece) {
        return false;
    }
    piece_ = *piece;
    const Compression compression = files_->compressions[piece_.file];
    if (compression == Compression::none) {
        file_.open(path());
        file_size_ = files_->sizes[piece_.file];
    } else {
        text_.emplace(path(), compression);
        piece_.end = UINT64_MAX;
        file_size_ = UINT64_MAX;
    }
    return true;
}

std::size_t PieceSource::read(char* to, std::size_t bytes, std::uint64_t at) {
    if (!text_) {
        file_.read(to, bytes, at);
        return bytes;
    }
    const std::size_t got = text_->read(to, bytes);
    if (got < bytes) {
        piece_.end = at + got;
        file_size_ = piece_.end;
    }
    return got;
}

}  // namespace kvasir::detail
