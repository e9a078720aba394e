#pragma once
// Divides the bytes of a text input among ranks and reads them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kvasir/detail/compressed_file.hpp"
#include "kvasir/mpi.hpp"
#include "kvasir/options.hpp"
#include "kvasir/text_files.hpp"

namespace kvasir::detail {

/// Bytes [begin, end) of a file. Tokens belong to the piece in which they begin. A compressed file is one
/// piece.
struct Piece {
    std::size_t file;
    std::uint64_t begin;
    std::uint64_t end;
};

/// Assigns pieces of the input to this rank: its fixed share, or chunk after chunk on demand.
class Pieces {
  public:
    Pieces(const Communicator& comm, const FileList& files, const Options& options);

    /// Returns the next piece for this rank, or nothing at the end.
    std::optional<Piece> next();
    /// Returns the number of contiguous ranges of the input that this rank has been given so far.
    std::uint64_t chunks() const { return chunks_; }

  private:
    bool next_chunk();
    std::optional<Piece> next_part();

    const FileList& files_;
    std::unique_ptr<SharedCounter> counter_;  ///< dynamic input: number of the next chunk
    std::uint64_t chunk_bytes_;
    std::uint64_t total_;
    std::uint64_t share_begin_;
    std::uint64_t share_end_;
    std::uint64_t begin_ = 0;  ///< of what is left of the current chunk, counted over all files
    std::uint64_t end_ = 0;
    std::size_t file_ = 0;
    std::uint64_t file_begin_ = 0;
    std::uint64_t chunks_ = 0;
};

/// Reads the bytes of one file, piece by piece.
class FileReader {
  public:
    FileReader() = default;
    ~FileReader();
    FileReader(const FileReader&) = delete;
    FileReader& operator=(const FileReader&) = delete;

    void open(const std::string& path);
    /// Reads exactly `bytes` bytes at `offset`. Throws Error that names the file where it cannot.
    void read(char* to, std::size_t bytes, std::uint64_t offset);

  private:
    void close();

    std::string path_;
    int descriptor_ = -1;
};

/// Text of the pieces of this rank: bytes of plain files by their places, and all of the text of compressed
/// files.
class PieceSource {
  public:
    PieceSource(const Communicator& comm, FileList files, const Options& options);

    /// Goes on to the next piece; returns false at the end.
    bool open();
    /// Reads text at `at`: `bytes` bytes, or fewer where the text of a compressed file ends, which is read
    /// from its begin on without gaps.
    std::size_t read(char* to, std::size_t bytes, std::uint64_t at);

    const std::string& path() const { return files_->paths[piece_.file]; }
    std::uint64_t begin() const { return piece_.begin; }
    /// End of the piece. Of a compressed file, this and file_size() are as large as can be until all of it
    /// has been read.
    std::uint64_t end() const { return piece_.end; }
    std::uint64_t file_size() const { return file_size_; }
    std::uint64_t chunks() const { return pieces_.chunks(); }

  private:
    std::unique_ptr<FileList> files_;
    Pieces pieces_;
    FileReader file_;
    std::optional<CompressedFile> text_;  ///< of a compressed file
    Piece piece_{};
    std::uint64_t file_size_ = 0;
};

}  // namespace kvasir::detail
