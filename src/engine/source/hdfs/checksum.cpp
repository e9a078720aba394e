#include "kvasir/hdfs/checksum.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "kvasir/hdfs/wire.hpp"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace kvasir::hdfs {
namespace {

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

/// Tables to take eight bytes at a time ("slicing by 8"). `polynomial` is reflected.
constexpr Tables make_tables(std::uint32_t polynomial) {
    Tables tables{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t crc = i;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? polynomial : 0U);
        }
        tables[0][i] = crc;
    }
    for (std::size_t t = 1; t < tables.size(); ++t) {
        for (std::uint32_t i = 0; i < 256; ++i) {
            const std::uint32_t before = tables[t - 1][i];
            tables[t][i] = (before >> 8U) ^ tables[0][before & 0xFFU];
        }
    }
    return tables;
}

constexpr Tables kCrc32 = make_tables(0xEDB88320U);
constexpr Tables kCrc32c = make_tables(0x82F63B78U);

std::uint32_t by_tables(const Tables& tables, std::string_view bytes) {
    std::uint32_t crc = ~std::uint32_t{0};
    while (bytes.size() >= 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), 8);
        word ^= crc;
        crc = 0;
        for (std::size_t i = 0; i < 8; ++i) {
            crc ^= tables[7 - i][(word >> (8 * i)) & 0xFFU];
        }
        bytes.remove_prefix(8);
    }
    for (const char c : bytes) {
        crc = (crc >> 8U) ^ tables[0][(crc ^ static_cast<unsigned char>(c)) & 0xFFU];
    }
    return ~crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t by_instruction(std::string_view bytes) {
    std::uint64_t crc = ~std::uint32_t{0};
    while (bytes.size() >= 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), 8);
        crc = _mm_crc32_u64(crc, word);
        bytes.remove_prefix(8);
    }
    auto low = static_cast<std::uint32_t>(crc);
    for (const char c : bytes) {
        low = _mm_crc32_u8(low, static_cast<unsigned char>(c));
    }
    return ~low;
}
#endif

}  // namespace

std::uint32_t checksum(ChecksumKind kind, std::string_view bytes) {
    if (kind == ChecksumKind::crc32) {
        return by_tables(kCrc32, bytes);
    }
#if defined(__x86_64__)
    static const bool fast = __builtin_cpu_supports("sse4.2") != 0;
    if (fast) {
        return by_instruction(bytes);
    }
#endif
    return by_tables(kCrc32c, bytes);
}

void write_checksums(ChecksumKind kind, std::size_t chunk, std::string_view data, char* to) {
    for (; !data.empty(); data.remove_prefix(std::min(chunk, data.size())), to += 4) {
        const std::uint32_t crc = __builtin_bswap32(checksum(kind, data.substr(0, chunk)));
        std::memcpy(to, &crc, 4);
    }
}

bool checksums_match(ChecksumKind kind, std::size_t chunk, std::string_view data, const char* sums) {
    for (; !data.empty(); data.remove_prefix(std::min(chunk, data.size())), sums += 4) {
        if (checksum(kind, data.substr(0, chunk)) != load_int32(sums)) {
            return false;
        }
    }
    return true;
}

}  // namespace kvasir::hdfs
