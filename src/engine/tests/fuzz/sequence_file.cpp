// Hadoop's SequenceFiles: any bytes are read or refused by Error, and files that were written are read as
// they were, however they are cut into splits.

#include "kvasir/hdfs/sequence_file.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "input.hpp"

namespace {

using namespace kvasir;
using Record = std::pair<std::string, std::string>;

/// Bytes in memory, `slice` at most at a time.
class Bytes : public hdfs::ByteSource {
  public:
    explicit Bytes(std::string_view rest) : rest_(rest) {}
    std::size_t read(char* to, std::size_t most) override {
        const std::size_t bytes = std::min(most, rest_.size());
        if (bytes != 0) {
            std::memcpy(to, rest_.data(), bytes);
        }
        rest_.remove_prefix(bytes);
        return bytes;
    }

  private:
    std::string_view rest_;
};

class Written : public hdfs::ByteSink {
  public:
    void write(std::string_view bytes) override { file += bytes; }
    std::string file;
};

/// Records of splits of `split` bytes. Throws Error where the file is none.
std::vector<Record> read(std::string_view file, std::size_t split, std::size_t slice) {
    Bytes head(file);
    hdfs::Window header(head, 0, slice);
    const std::string mark = hdfs::read_header(header, "file");
    std::vector<Record> records;
    for (std::size_t begin = 0; begin < file.size(); begin += split) {
        const std::size_t from = begin == 0 ? header.position() : begin;
        Bytes bytes(file.substr(std::min(from, file.size())));
        hdfs::Window window(bytes, from, slice);
        hdfs::SequenceReader reader(window, "file", mark, begin + split, begin == 0);
        while (reader.next(
            [&](std::string_view key, std::string_view value) { records.emplace_back(key, value); })) {
        }
    }
    return records;
}

void any_bytes(std::string_view file, std::size_t split, std::size_t slice) {
    try {
        for (const auto& [key, value] : read(file, split, slice)) {
            (void)hdfs::text_of(key);
            (void)hdfs::text_of(value);
        }
    } catch (const Error&) {  // said, and the job ends
        return;
    }
}

void written(fuzz::Input& input, std::size_t split, std::size_t slice) {
    Written sink;
    constexpr std::string_view mark = "0123456789abcdef";
    hdfs::SequenceWriter writer(sink, std::string(mark));
    std::vector<Record> records;
    while (!input.empty()) {
        const std::size_t key = input.byte();
        const std::size_t repeats = input.byte();
        std::string value;
        for (const std::string_view part = input.bytes(7);
             value.size() < repeats * repeats && !part.empty();) {
            value += part;  // long enough for several marks in a file
        }
        records.emplace_back(input.bytes(key), value);
        if ((records.back().first + value.substr(0, mark.size())).find(mark) != std::string::npos) {
            return;  // splits cannot tell it from a mark; in files it is random
        }
        writer.append(records.back().first, records.back().second);
    }
    writer.flush();
    fuzz::check(read(sink.file, split + (64U << 10U), slice) == records, "records of a written file");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const std::size_t split = 1U + (std::size_t{input.byte()} << 4U);
    const std::size_t slice = 1U + (std::size_t{input.byte()} << 6U);
    fuzz::Input same = input;
    any_bytes(input.rest(), split, slice);
    written(same, split, slice);
    return 0;
}
