#pragma once
// The part of Protocol Buffers' wire format that HDFS's protocols need: messages are written and read field
// by field, by the numbers of Hadoop's .proto files.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kvasir::hdfs {

void append_varint(std::string& to, std::uint64_t value);
/// Appends a big-endian integer, as in Hadoop's own framing.
void append_int32(std::string& to, std::uint32_t value);
std::uint32_t load_int32(const char* from);

/// Builder of a message.
class Message {
  public:
    Message& number(unsigned field, std::uint64_t value);
    /// sint32 and sint64: small negative numbers are short.
    Message& zigzag(unsigned field, std::int64_t value);
    Message& bytes(unsigned field, std::string_view value);
    Message& message(unsigned field, const Message& value) { return bytes(field, value.data_); }

    const std::string& data() const { return data_; }
    /// Appends the message with its length in front.
    void append_delimited(std::string& to) const;

  private:
    void key(unsigned field, unsigned type);

    std::string data_;
};

/// Iterates over the fields of a message. `while (fields.next()) switch (fields.number()) ...`
class Fields {
  public:
    explicit Fields(std::string_view data) : rest_(data) {}

    /// Moves to the next field; false at the end. Throws Error where the bytes are no message.
    bool next();
    unsigned number() const { return number_; }
    std::uint64_t value() const { return value_; }     ///< of numbers
    std::int64_t zigzag() const;                       ///< of sint32 and sint64
    std::string_view bytes() const { return bytes_; }  ///< of strings and messages
    std::string text() const { return std::string(bytes_); }

  private:
    std::uint64_t fixed(std::size_t size);

    std::string_view rest_;
    unsigned number_ = 0;
    std::uint64_t value_ = 0;
    std::string_view bytes_;
};

/// Takes a varint off the front of `data`. Throws Error where there is none.
std::uint64_t take_varint(std::string_view& data);
/// Takes a message with its length in front off `data`. Throws Error where there is none.
std::string_view take_delimited(std::string_view& data);

}  // namespace kvasir::hdfs
