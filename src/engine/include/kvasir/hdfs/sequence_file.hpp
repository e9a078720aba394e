#pragma once
// Hadoop's SequenceFile (version 6, not compressed) with keys and values of type Text. Sync markers of 16
// random bytes, which the header names, stand between some records: splits begin and end there.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kvasir/error.hpp"
#include "kvasir/hdfs/bytes.hpp"

namespace kvasir::hdfs {

/// Appends a variable-length integer of Hadoop (WritableUtils.writeVInt).
void append_vint(std::string& to, std::int64_t value);
/// Takes a variable-length integer off the front of `data`. Throws Error where there is none.
std::int64_t take_vint(std::string_view& data);
/// Returns the bytes of a serialised Text, which is its length and they. Throws Error where it is none.
std::string_view text_of(std::string_view written);

/// Reads the header of a file; returns its sync marker. Throws Error when the file is of another kind.
std::string read_header(Window& window, const std::string& path);

/// Reads the records of a split: those behind the sync markers in [begin, end) of the file, and, where it
/// begins with the file, those before the first marker.
class SequenceReader {
  public:
    /// `window` begins at `begin`; behind the header for the first split.
    SequenceReader(Window& window, std::string path, std::string mark, std::uint64_t end, bool first)
        : window_(window), path_(std::move(path)), mark_(std::move(mark)), end_(end), searching_(!first) {}

    /// Passes some records to sink(key, value), both serialised (see text_of()); returns false when there are
    /// no more.
    template <class Sink>
    bool next(Sink&& sink) {
        if (searching_ && !find_mark()) {
            return false;
        }
        std::string_view key;
        std::string_view value;
        for (std::size_t bytes = 0; bytes < kBatch; bytes += key.size() + value.size()) {
            if (!record(key, value)) {
                return false;
            }
            sink(key, value);
        }
        return true;
    }

  private:
    static constexpr std::size_t kBatch = 128U << 10U;

    bool find_mark();
    bool record(std::string_view& key, std::string_view& value);

    Window& window_;
    std::string path_;
    std::string mark_;
    std::uint64_t end_;
    bool searching_;
    std::size_t taken_ = 0;  ///< bytes of the record that was handed out last
};

/// Writes a file of Texts.
class SequenceWriter {
  public:
    /// `mark`: the sync marker, 16 random bytes.
    SequenceWriter(ByteSink& sink, std::string mark);

    /// Appends a record of a serialised key and value: each with its length in front.
    void append(std::string_view key, std::string_view value);
    /// Writes what is still buffered. To be called after the last record.
    void flush();

  private:
    ByteSink& sink_;
    std::string mark_;
    std::string pending_;
    std::size_t since_mark_ = 0;
};

}  // namespace kvasir::hdfs
