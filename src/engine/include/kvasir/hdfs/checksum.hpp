#pragma once
// Checksums of HDFS: one CRC of 32 bits per chunk (512 bytes) of a block, stored and sent beside the data.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kvasir::hdfs {

/// Types by their numbers in HDFS's protocol.
enum class ChecksumKind : std::uint8_t { none = 0, crc32 = 1, crc32c = 2 };

/// Returns the CRC of `bytes` (crc32: as in zlib; crc32c: Castagnoli, by the CPU's own instruction where it
/// has one).
std::uint32_t checksum(ChecksumKind kind, std::string_view bytes);

/// Writes the checksums of `data`'s chunks, big-endian, to `to`.
void write_checksums(ChecksumKind kind, std::size_t chunk, std::string_view data, char* to);

/// Returns whether `sums` are the checksums of `data`'s chunks.
bool checksums_match(ChecksumKind kind, std::size_t chunk, std::string_view data, const char* sums);

}  // namespace kvasir::hdfs
