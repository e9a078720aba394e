#pragma once
// Files of a text input, the same list on every rank, and how their bytes are shared out.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kvasir/mpi.hpp"
#include "kvasir/options.hpp"

namespace kvasir {

/// Regular files with their sizes, in a fixed order.
struct FileList {
    std::vector<std::string> paths;
    std::vector<std::uint64_t> sizes;

    std::uint64_t total() const;
};

/// All regular files at `inputs`, folders with everything below them, sorted by path. Rank 0 looks, all ranks
/// get the list. Throws JobError on every rank where one of them cannot be read. Collective.
FileList list_files(const Communicator& comm, const std::vector<std::string>& inputs);

namespace detail {

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

}  // namespace detail
}  // namespace kvasir
