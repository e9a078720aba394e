#pragma once
// Byte streams for parsers and writers of file formats.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kvasir::hdfs {

class ByteSource {
  public:
    ByteSource() = default;
    virtual ~ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;

    /// Reads up to `most` bytes to `to`; fewer only at the end.
    virtual std::size_t read(char* to, std::size_t most) = 0;
};

class ByteSink {
  public:
    ByteSink() = default;
    virtual ~ByteSink() = default;
    ByteSink(const ByteSink&) = delete;
    ByteSink& operator=(const ByteSink&) = delete;

    virtual void write(std::string_view bytes) = 0;
};

/// Buffered view of the next bytes of a source, contiguous however they arrive. `slice`: bytes read at a
/// time.
class Window {
  public:
    Window(ByteSource& source, std::uint64_t position, std::size_t slice)
        : source_(source), position_(position), slice_(slice) {}

    /// Returns the buffered next bytes: at least `least`, unless the source ends before. Valid until the next
    /// call. Behind it kPadding bytes can be read that mean nothing.
    std::string_view view(std::size_t least);
    /// Consumes `bytes` of the view.
    void skip(std::size_t bytes) {
        begin_ += bytes;
        position_ += bytes;
    }
    /// Returns the offset of the view's first byte in the file.
    std::uint64_t position() const { return position_; }

    static constexpr std::size_t kPadding = 64;

  private:
    ByteSource& source_;
    std::uint64_t position_;
    std::size_t slice_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool ended_ = false;
};

}  // namespace kvasir::hdfs
