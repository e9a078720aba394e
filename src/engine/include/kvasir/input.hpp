#pragma once
// Inputs of a job. An input has open(comm, options), collective, which returns a reader; a reader has
// next(clock, counters, sink), which passes some records to sink(record) and returns false when there are no
// more.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kvasir/detail/record_reader.hpp"
#include "kvasir/detail/text_reader.hpp"
#include "kvasir/text_files.hpp"
#include "kvasir/text_filter.hpp"

namespace kvasir {

/// Text in files, cut at separators; see words(), lines() and strings(). Files that gzip or Zstandard has
/// compressed are read as the text in them; each is read by one rank.
template <class Separator>
struct Text {
    std::vector<std::string> paths;  ///< files, and folders of files
    std::function<void()>
        before_slice;        ///< called before each slice is read; for tests and progress displays
    TextFilter filter;       ///< what is changed in the text before it is cut
    bool decompress = true;  ///< whether compressed files are read as the text in them

    detail::TextReader<Separator> open(const Communicator& comm, const Options& options) const {
        return detail::TextReader<Separator>(comm, list_files(comm, paths, decompress), options, filter,
                                             before_slice);
    }
};

/// Input of all words, as std::string_view, of the given files and folders, divided among all ranks. Words
/// are separated by white space and may hold any other byte. Every rank must be given the same paths.
inline Text<WhiteSpace> words(std::vector<std::string> paths) { return {std::move(paths), {}, {}, true}; }

/// Input of all lines that are not empty, as std::string_view, of the given files and folders, divided among
/// all ranks.
inline Text<LineFeed> lines(std::vector<std::string> paths) { return {std::move(paths), {}, {}, true}; }

/// Input of all strings that are not empty, as std::string_view and without the NUL that ends each.
inline Text<Nul> strings(std::vector<std::string> paths) { return {std::move(paths), {}, {}, true}; }

/// Records of one length in files, without separators; see records().
struct Records {
    std::vector<std::string> paths;  ///< files, and folders of files
    std::size_t bytes;               ///< length of a record
    bool decompress = true;          ///< whether compressed files are read as the records in them

    detail::RecordReader open(const Communicator& comm, const Options& options) const {
        return {comm, list_files(comm, paths, decompress), options, bytes};
    }
};

/// Input of all records of `bytes` bytes, as std::string_view, of the given files and folders, divided among
/// all ranks. Each file must hold whole records.
inline Records records(std::vector<std::string> paths, std::size_t bytes) {
    return {std::move(paths), bytes, true};
}

/// Input of items that each rank has in its own memory.
template <class Item>
struct Items {
    std::span<const Item> own;

    class Reader {
      public:
        explicit Reader(std::span<const Item> rest) : rest_(rest) {}

        template <class Sink>
        bool next(PhaseClock& clock, Counters& counters, Sink&& sink) {
            constexpr std::size_t most = 4096;
            PhaseScope phase(clock, Phase::map);
            const std::size_t count = std::min(most, rest_.size());
            for (const Item& item : rest_.first(count)) {
                sink(item);
            }
            rest_ = rest_.subspan(count);
            counters.input_bytes += count * sizeof(Item);
            return !rest_.empty();
        }

      private:
        std::span<const Item> rest_;
    };

    Reader open(const Communicator& /*comm*/, const Options& /*options*/) const { return Reader(own); }
};

/// Input of the items of this rank; other ranks have their own. They must live until the job has ended.
template <class Range>
auto items(const Range& own) {
    using Item = std::remove_cvref_t<decltype(*std::data(own))>;
    return Items<Item>{std::span<const Item>(std::data(own), std::size(own))};
}

}  // namespace kvasir
