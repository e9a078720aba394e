#pragma once
// Compressed inputs, told apart by their first bytes whatever their names are.

#include <cstdint>
#include <string>
#include <string_view>

namespace kvasir {

/// How the bytes of a file are compressed.
enum class Compression : std::uint8_t { none, gzip, zstd };

/// Returns the compression of a file that begins with these bytes; four of them are enough.
Compression compression_of(std::string_view begin);

/// Says whether this build of the engine reads compressed files.
bool reads_compressed();

std::string name_of(Compression value);

}  // namespace kvasir
