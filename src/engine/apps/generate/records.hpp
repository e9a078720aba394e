#pragma once
// Writer of records in the layouts of gensort. Binary: 10 bytes of key, 00 11, the record's number in 32
// hexadecimal digits, 88 99 AA BB, 12 hexadecimal digits four times each, CC DD EE FF. ASCII: 10 printable
// characters of key, two spaces, the number, two spaces, 13 hexadecimal digits four times each, CR LF. The
// keys are our own.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../record_order.hpp"
#include "output.hpp"
#include "text.hpp"
#include "vocabulary.hpp"

namespace kvasir::generate {

using namespace std::string_view_literals;

/// What the records of a file follow from, besides their number.
struct RecordLaw {
    std::uint64_t seed;
    std::uint64_t unique;  ///< most distinct keys; 0: every record draws one of its own
    bool ascii = false;    ///< printable keys, and a line per record

    /// Writes record `number` to `to`, 100 bytes.
    void make(std::uint64_t number, char* to) const {
        const std::uint64_t drawn = unique == 0 ? number : mixed(~seed, number) % unique;
        const std::uint64_t high = mixed(seed, 2 * drawn);
        const std::uint64_t low = mixed(seed, 2 * drawn + 1);
        if (ascii) {
            make_line(number, high, low, to);
            return;
        }
        for (unsigned i = 0; i < 8; ++i) {
            to[i] = static_cast<char>(high >> (56 - 8 * i));
        }
        to[8] = static_cast<char>(low >> 8U);
        to[9] = static_cast<char>(low);
        put("\x00\x11"sv, to + 10);
        write_number(number, to + 12);
        put("\x88\x99\xaa\xbb"sv, to + 44);
        write_quads(low >> 16U, 12, to + 48);
        put("\xcc\xdd\xee\xff"sv, to + 96);
    }

  private:
    static void make_line(std::uint64_t number, std::uint64_t high, std::uint64_t low, char* to) {
        constexpr std::uint64_t printable = 95;  // from space to tilde
        std::uint64_t key = high;
        for (unsigned i = 0; i < app::kKeyBytes; ++i, key /= printable) {
            key = i == app::kKeyBytes / 2 ? low : key;
            to[i] = static_cast<char>(' ' + key % printable);
        }
        put("  "sv, to + 10);
        write_number(number, to + 12);
        put("  "sv, to + 44);
        write_quads(low >> 12U, 13, to + 46);
        put("\r\n"sv, to + 98);
    }
    static void write_number(std::uint64_t number, char* to) {
        for (unsigned i = 0; i < 32; ++i) {
            to[i] = i < 16 ? '0' : digit(number >> (4 * (31 - i)));
        }
    }
    /// Writes `count` hexadecimal digits, the lowest first, each four times.
    static void write_quads(std::uint64_t digits, unsigned count, char* to) {
        for (; count != 0; --count, digits >>= 4U) {
            to = std::fill_n(to, 4, digit(digits));
        }
    }
    static void put(std::string_view bytes, char* to) { std::copy(bytes.begin(), bytes.end(), to); }
    static char digit(std::uint64_t value) { return "0123456789ABCDEF"[value & 15U]; }
};

/// Writes all `records` records; returns the sum of their checksums.
inline std::uint64_t write_records(const RecordLaw& law, std::uint64_t records, unsigned threads,
                                   const Output& output) {
    constexpr std::uint64_t block = 1U << 14U;
    std::vector<std::uint64_t> checksums(threads);
    std::vector<std::string> texts(threads);
    in_parallel(threads, (records + block - 1) / block, [&](unsigned thread, std::uint64_t part) {
        stop_if_asked();
        const std::uint64_t from = part * block;
        const std::uint64_t count = std::min(block, records - from);
        std::string& text = texts[thread];
        text.resize(count * app::kRecordBytes);
        for (std::uint64_t i = 0; i < count; ++i) {
            char* at = &text[i * app::kRecordBytes];
            law.make(from + i, at);
            checksums[thread] += app::record_checksum({at, app::kRecordBytes});
        }
        output.write_at(text, from * app::kRecordBytes);
    });
    std::uint64_t sum = 0;
    for (const std::uint64_t checksum : checksums) sum += checksum;
    return sum;
}

}  // namespace kvasir::generate
