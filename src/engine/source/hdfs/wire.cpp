#include "kvasir/hdfs/wire.hpp"

#include "kvasir/error.hpp"

namespace kvasir::hdfs {
namespace {

enum WireType : unsigned { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

[[noreturn]] void malformed() { throw Error("a message that is cut off or no Protocol Buffers"); }

}  // namespace

void append_varint(std::string& to, std::uint64_t value) {
    while (value >= 0x80U) {
        to += static_cast<char>(value | 0x80U);
        value >>= 7U;
    }
    to += static_cast<char>(value);
}

void append_int32(std::string& to, std::uint32_t value) {
    for (const unsigned shift : {24U, 16U, 8U, 0U}) {
        to += static_cast<char>(value >> shift);
    }
}

std::uint32_t load_int32(const char* from) {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
        value = value << 8U | static_cast<unsigned char>(from[i]);
    }
    return value;
}

void Message::key(unsigned field, unsigned type) { append_varint(data_, field << 3U | type); }

Message& Message::number(unsigned field, std::uint64_t value) {
    key(field, kVarint);
    append_varint(data_, value);
    return *this;
}

Message& Message::zigzag(unsigned field, std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    return number(field, bits << 1U ^ (value < 0 ? ~std::uint64_t{0} : 0));
}

Message& Message::bytes(unsigned field, std::string_view value) {
    key(field, kBytes);
    append_varint(data_, value.size());
    data_ += value;
    return *this;
}

void Message::append_delimited(std::string& to) const {
    append_varint(to, data_.size());
    to += data_;
}

std::uint64_t take_varint(std::string_view& data) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !data.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(data.front());
        data.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
        if (byte < 0x80U) {
            return value;
        }
    }
    malformed();
}

std::string_view take_delimited(std::string_view& data) {
    const std::uint64_t size = take_varint(data);
    if (size > data.size()) {
        malformed();
    }
    const std::string_view found = data.substr(0, size);
    data.remove_prefix(size);
    return found;
}

bool Fields::next() {
    if (rest_.empty()) {
        return false;
    }
    const std::uint64_t key = take_varint(rest_);
    number_ = static_cast<unsigned>(key >> 3U);
    value_ = 0;
    bytes_ = {};
    switch (key & 7U) {
        case kVarint:
            value_ = take_varint(rest_);
            break;
        case kFixed64:
            value_ = fixed(8);
            break;
        case kFixed32:
            value_ = fixed(4);
            break;
        case kBytes:
            bytes_ = take_delimited(rest_);
            break;
        default:
            malformed();
    }
    return true;
}

std::int64_t Fields::zigzag() const {
    return static_cast<std::int64_t>(value_ >> 1U ^ ((value_ & 1U) != 0 ? ~std::uint64_t{0} : 0));
}

std::uint64_t Fields::fixed(std::size_t size) {
    if (size > rest_.size()) {
        malformed();
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {  // little-endian
        value |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
    }
    rest_.remove_prefix(size);
    return value;
}

}  // namespace kvasir::hdfs
