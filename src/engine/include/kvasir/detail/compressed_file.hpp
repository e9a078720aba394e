#pragma once
// Reads the text of a gzip or Zstandard file from its begin to its end.

#include <cstddef>
#include <memory>
#include <string>

#include "kvasir/compression.hpp"

namespace kvasir::detail {

/// Stream of the text in a compressed file, which may hold several members (gzip) or frames (Zstandard), one
/// after the other. All functions throw Error that names the file: also where it is damaged, or ends too
/// early.
class CompressedFile {
  public:
    /// Throws Error as well when the engine was built without compression.
    CompressedFile(const std::string& path, Compression compression);
    ~CompressedFile();
    CompressedFile(const CompressedFile&) = delete;
    CompressedFile& operator=(const CompressedFile&) = delete;

    /// Reads the next bytes of the text; returns their number, less than `bytes` at the end only.
    std::size_t read(char* to, std::size_t bytes);

    /// A decompressor, its input and what it knows of the end.
    class Decoder;

  private:
    std::unique_ptr<Decoder> decoder_;
};

}  // namespace kvasir::detail
