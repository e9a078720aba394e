#pragma once
// File of one rank for what its memory budget has no room for. It has no name: when its process ends, in
// whatever way, the operating system frees its room.

#include <cstddef>
#include <cstdint>
#include <string>

#include "kvasir/memory.hpp"

namespace kvasir::detail {

/// Opens a new file without a name in `folder`, to read and write; returns its descriptor, or -1 (errno).
int open_unnamed(const std::string& folder);
/// Does the same for file systems that know no unnamed files: creates one and removes its name at once.
int open_and_unlink(const std::string& folder);

/// Place of a block of words in a spill file, and what it must be like.
struct SpillBlock {
    std::uint64_t place;     ///< bytes from the begin of the file
    std::uint64_t bytes;     ///< in the file
    std::uint64_t words;     ///< 64-bit words that it holds
    std::uint32_t checksum;  ///< CRC-32C of the bytes in the file
    bool packed;             ///< by LZ4
};

/// Blocks of words, compressed where that makes them smaller, each with a checksum.
class SpillFile {
  public:
    /// `block_words`: words up to which a block is compressed. Buffers for it are metered. Throws Error.
    SpillFile(MemoryMeter& meter, const std::string& folder, std::size_t block_words);
    ~SpillFile();
    SpillFile(const SpillFile&) = delete;
    SpillFile& operator=(const SpillFile&) = delete;

    /// Appends a block. Takes no memory. Throws Error where the disk is full, or does not take it.
    SpillBlock write(const std::uint64_t* data, std::size_t words);
    /// Reads a block into `block.words` words at `to`. Throws Error where it is not what was written.
    void read(const SpillBlock& block, std::uint64_t* to);

    /// Returns whether this library was built with LZ4.
    static bool compresses();
    std::size_t block_words() const { return block_words_; }
    std::uint64_t bytes() const { return bytes_; }  ///< written to the file so far

  private:
    void append(const char* data, std::size_t bytes);
    void read_at(std::uint64_t place, char* to, std::size_t bytes);

    std::string folder_;
    std::size_t block_words_;
    WordBuffer packed_;
    std::uint64_t bytes_ = 0;
    int file_ = -1;
};

}  // namespace kvasir::detail
