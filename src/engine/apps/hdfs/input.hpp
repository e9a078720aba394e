#pragma once
// Readers of the records of a split.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "job.hpp"
#include "kvasir/hdfs/sequence_file.hpp"

namespace kvasir::jobs {

/// Reads this rank's splits; the time it takes counts as `read`.
class Input {
  public:
    explicit Input(Job& job) : job_(job) {}

    /// Passes the serialised keys and values of a split of a SequenceFile to sink(key, value). Stops when
    /// go_on(), called now and then, returns false.
    template <class Sink, class GoOn>
    void records(const hdfs::Split& split, Sink&& sink, GoOn&& go_on) {
        const hdfs::FileStatus& file = job_.files()[split.file];
        const bool first = split.begin == 0;
        const std::string& mark = mark_of(split.file);
        const std::uint64_t begin = first ? header_bytes_[split.file] : split.begin;
        Source source(job_, file, begin, split.end);
        hdfs::Window window(source, begin, slice());
        hdfs::SequenceReader reader(window, file.path, mark, split.end, first);
        PhaseScope phase(job_.state().clock(), Phase::map);
        while (reader.next(sink) && go_on()) {
        }
    }

    /// Passes the lines that begin in a split to sink(line), without their ends.
    template <class Sink, class GoOn>
    void lines(const hdfs::Split& split, Sink&& sink, GoOn&& go_on) {
        // The byte before tells whether a line begins with the split.
        const std::uint64_t begin = split.begin - static_cast<std::uint64_t>(split.begin != 0);
        Source source(job_, job_.files()[split.file], begin, split.end);
        hdfs::Window window(source, begin, slice());
        PhaseScope phase(job_.state().clock(), Phase::map);
        bool skipping = split.begin != 0;
        std::uint64_t asked = begin;
        while (window.position() < split.end) {
            std::string_view view = window.view(1);
            std::size_t end = view.find('\n');
            while (end == std::string_view::npos) {
                const std::size_t before = view.size();
                view = window.view(before + 1);
                if (view.size() == before) {
                    break;  // the last line has no end
                }
                end = view.find('\n', before);
            }
            if (view.empty()) {
                return;
            }
            if (!skipping) {
                const std::string_view line = view.substr(0, end);
                sink(line.empty() || line.back() != '\r' ? line : line.substr(0, line.size() - 1));
            }
            skipping = false;
            window.skip(end == std::string_view::npos ? view.size() : end + 1);
            if (window.position() - asked >= slice()) {
                asked = window.position();
                if (!go_on()) {
                    return;
                }
            }
        }
    }

    /// Passes the rows of fixed size that begin in a split to sink(row); at most `most` of them.
    template <class Sink, class GoOn>
    void rows(const hdfs::Split& split, std::size_t size, std::uint64_t most, Sink&& sink, GoOn&& go_on) {
        const hdfs::FileStatus& file = job_.files()[split.file];
        if (file.length % size != 0) {
            throw Error(file.path + ": " + std::to_string(file.length) + " bytes are no multiple of " +
                        std::to_string(size) + ", the size of its records");
        }
        const std::uint64_t begin = (split.begin + size - 1) / size * size;
        std::uint64_t end = (split.end + size - 1) / size * size;
        end = std::min(end, begin + std::min<std::uint64_t>(most, file.length) * size);
        Source source(job_, file, begin, end);
        hdfs::Window window(source, begin, slice() / size * size + size);
        PhaseScope phase(job_.state().clock(), Phase::map);
        while (window.position() < end) {
            std::string_view view = window.view(size);
            if (view.size() < size) {
                throw Error(file.path + ": it became shorter while it was being read");
            }
            view =
                view.substr(0, std::min<std::uint64_t>(view.size() / size * size, end - window.position()));
            for (std::size_t at = 0; at < view.size(); at += size) {
                sink(view.substr(at, size));
            }
            window.skip(view.size());
            if (!go_on()) {
                return;
            }
        }
    }

  private:
    class Source : public hdfs::ByteSource {
      public:
        Source(Job& job, const hdfs::FileStatus& file, std::uint64_t begin, std::uint64_t end)
            : job_(job), file_(job.client(), file, begin, end) {}
        std::size_t read(char* to, std::size_t most) override {
            PhaseScope phase(job_.state().clock(), Phase::read);
            return file_.read(to, most);
        }

      private:
        Job& job_;
        hdfs::FileReader file_;
    };

    std::size_t slice() const { return job_.options().engine.slice; }

    const std::string& mark_of(std::size_t file) {
        const auto found = marks_.find(file);
        if (found != marks_.end()) {
            return found->second;
        }
        constexpr std::size_t likely = 1024;
        const hdfs::FileStatus& status = job_.files()[file];
        Source source(job_, status, 0, likely);
        hdfs::Window window(source, 0, likely);
        std::string mark = hdfs::read_header(window, status.path);
        header_bytes_[file] = window.position();
        return marks_[file] = std::move(mark);
    }

    Job& job_;
    std::map<std::size_t, std::string> marks_;
    std::map<std::size_t, std::uint64_t> header_bytes_;
};

}  // namespace kvasir::jobs
