#pragma once
// Records of byte strings packed without gaps: for data that is sent once and sorted, where every byte on the
// network counts and nothing is combined. A record is both lengths (7 bits a byte, low ones first), key,
// value.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "kvasir/detail/block.hpp"

namespace kvasir::detail {

inline std::size_t length_bytes(std::size_t length) {
    std::size_t bytes = 1;
    for (; length >= 0x80U; length >>= 7U) {
        ++bytes;
    }
    return bytes;
}

inline char* put_length(char* to, std::size_t length) {
    for (; length >= 0x80U; length >>= 7U) {
        *to++ = static_cast<char>(length | 0x80U);
    }
    *to++ = static_cast<char>(length);
    return to;
}

inline const char* get_length(const char* from, std::size_t& length) {
    length = 0;
    unsigned shift = 0;
    for (; (*from & '\x80') != 0; shift += 7) {
        length |= static_cast<std::size_t>(*from++ & '\x7F') << shift;
    }
    length |= static_cast<std::size_t>(*from++) << shift;
    return from;
}

/// View of a packed record.
struct PackedRecord {
    std::string_view key;
    std::string_view value;

    static PackedRecord at(const char* record) {
        std::size_t key = 0;
        std::size_t value = 0;
        const char* bytes = get_length(get_length(record, key), value);
        return {{bytes, key}, {bytes + key, value}};
    }
};

/// Block of packed records for ByFill: a word with the number of bytes, then the records.
class PackedBlock {
  public:
    explicit PackedBlock(MemoryMeter& /*meter*/) {}

    void attach(std::uint64_t* base, std::size_t words) {
        base_ = base;
        capacity_ = words;
        clear();
    }

    const std::uint64_t* data() const { return base_; }
    std::size_t used() const { return bytes_ == 0 ? 0 : 1 + words_for(bytes_); }
    std::size_t capacity() const { return capacity_; }
    std::uint64_t records() const { return records_; }
    void clear() {
        bytes_ = 0;
        records_ = 0;
    }
    /// Writes the number of bytes to the front and pads with zeros; there are no dead records to remove.
    void squeeze() {
        if (bytes_ != 0) {
            base_[0] = bytes_;
            std::memset(reinterpret_cast<char*>(base_ + 1) + bytes_, 0, 8 * words_for(bytes_) - bytes_);
        }
    }

    Put append(std::string_view key, std::string_view value) {
        const std::size_t bytes = bytes_of(key, value);
        if (1 + words_for(bytes_ + bytes) > capacity_) [[unlikely]] {
            return Put::full;
        }
        put(reinterpret_cast<char*>(base_ + 1) + bytes_, key, value);
        bytes_ += bytes;
        ++records_;
        return Put::appended;
    }

    static std::size_t words_of(std::string_view key, std::string_view value) {
        return 1 + words_for(bytes_of(key, value));
    }
    static void write(std::string_view key, std::string_view value, std::uint64_t* to) {
        const std::size_t bytes = bytes_of(key, value);
        to[0] = bytes;
        to[words_for(bytes)] = 0;
        put(reinterpret_cast<char*>(to + 1), key, value);
    }

    /// Calls visit(const char* at, const PackedRecord& record) for each record of a block that has arrived;
    /// returns the number of records.
    template <class Visit>
    static std::uint64_t for_each(const std::uint64_t* block, Visit&& visit) {
        const char* at = reinterpret_cast<const char*>(block + 1);
        std::uint64_t records = 0;
        for (const char* end = at + block[0]; at != end; ++records) {
            const PackedRecord record = PackedRecord::at(at);
            visit(at, record);
            at = record.value.data() + record.value.size();
        }
        return records;
    }

  private:
    static std::size_t bytes_of(std::string_view key, std::string_view value) {
        return length_bytes(key.size()) + length_bytes(value.size()) + key.size() + value.size();
    }
    static void put(char* to, std::string_view key, std::string_view value) {
        to = put_length(put_length(to, key.size()), value.size());
        if (!key.empty()) {
            std::memcpy(to, key.data(), key.size());
        }
        if (!value.empty()) {
            std::memcpy(to + key.size(), value.data(), value.size());
        }
    }

    std::uint64_t* base_ = nullptr;
    std::size_t capacity_ = 0;
    std::size_t bytes_ = 0;
    std::uint64_t records_ = 0;
};

}  // namespace kvasir::detail
