#pragma once
// Divides the bytes of a text input among ranks and reads them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kvasir/mpi.hpp"
#include "kvasir/options.hpp"
#include "kvasir/text_files.hpp"

namespace kvasir::detail {

/// Bytes [begin, end) of one file. Tokens belong to the piece in which they begin.
struct Piece {
    std::size_t file;
    std::uint64_t begin;
    std::uint64_t end;
};

/// Hands out the pieces of the input that this rank is to read: its fixed share, or chunk after chunk to
/// whoever asks next.
class Pieces {
  public:
    Pieces(const Communicator& comm, const FileList& files, const Options& options);

    /// The next piece for this rank, until there is none.
    std::optional<Piece> next();
    /// Contiguous ranges of the input this rank has been given so far.
    std::uint64_t chunks() const { return chunks_; }

  private:
    bool next_chunk();

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

}  // namespace kvasir::detail
