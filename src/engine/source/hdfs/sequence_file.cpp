#include "kvasir/hdfs/sequence_file.hpp"

#include <algorithm>
#include <cstring>

#include "kvasir/hdfs/wire.hpp"

namespace kvasir::hdfs {
namespace {

constexpr std::string_view kMagic("SEQ\x06", 4);
constexpr std::string_view kText = "org.apache.hadoop.io.Text";
constexpr std::string_view kEscape("\xFF\xFF\xFF\xFF", 4);
constexpr std::size_t kMark = 16;
constexpr std::size_t kBetweenMarks = 100U << 10U;  // as Hadoop 3
constexpr std::size_t kHeader = 1U << 10U;
constexpr std::size_t kWriteAtOnce = 64U << 10U;

Error broken(const std::string& path, const std::string& what) {
    return Error{path + ": no SequenceFile of Texts that is not compressed: " + what};
}

std::string_view take(std::string_view& from, std::size_t bytes) {
    if (bytes > from.size()) {
        throw Error("it ends early");
    }
    const std::string_view found = from.substr(0, bytes);
    from.remove_prefix(bytes);
    return found;
}

std::string_view take_text(std::string_view& from) {
    const std::int64_t size = take_vint(from);
    return take(from, size < 0 ? SIZE_MAX : static_cast<std::size_t>(size));
}

std::string parse_header(std::string_view& rest) {
    if (take(rest, kMagic.size()) != kMagic) {
        throw Error("it does not begin with SEQ and version 6");
    }
    for (const char* what : {"keys", "values"}) {
        const std::string_view name = take_text(rest);
        if (name != kText) {
            throw Error(std::string(what) + " are of type " + std::string(name));
        }
    }
    if (take(rest, 2) != std::string_view("\0\0", 2)) {
        throw Error("it is compressed");
    }
    for (std::uint32_t pairs = load_int32(take(rest, 4).data()); pairs != 0; --pairs) {
        (void)take_text(rest);
        (void)take_text(rest);
    }
    return std::string(take(rest, kMark));
}

}  // namespace

void append_vint(std::string& to, std::int64_t value) {
    if (value >= -112 && value <= 127) {
        to += static_cast<char>(value);
        return;
    }
    auto bits = static_cast<std::uint64_t>(value < 0 ? ~value : value);
    int bytes = 0;
    for (std::uint64_t rest = bits; rest != 0; rest >>= 8U) {
        ++bytes;
    }
    to += static_cast<char>((value < 0 ? -120 : -112) - bytes);
    for (int i = bytes - 1; i >= 0; --i) {
        to += static_cast<char>(bits >> (8 * static_cast<unsigned>(i)));
    }
}

std::int64_t take_vint(std::string_view& data) {
    const auto first = static_cast<signed char>(take(data, 1)[0]);
    if (first >= -112) {
        return first;
    }
    const bool negative = first < -120;
    std::uint64_t bits = 0;
    for (const char c : take(data, static_cast<std::size_t>(negative ? -120 - first : -112 - first))) {
        bits = bits << 8U | static_cast<unsigned char>(c);
    }
    return static_cast<std::int64_t>(negative ? ~bits : bits);
}

std::string_view text_of(std::string_view written) {
    std::string_view rest = written;
    const std::string_view text = take_text(rest);
    if (!rest.empty()) {
        throw Error("a Text with bytes behind its end");
    }
    return text;
}

std::string read_header(Window& window, const std::string& path) {
    for (std::size_t least = kHeader;; least *= 2) {
        const std::string_view view = window.view(least);
        std::string_view rest = view;
        try {
            std::string mark = parse_header(rest);
            window.skip(view.size() - rest.size());
            return mark;
        } catch (const Error& error) {
            if (view.size() < least || view.substr(0, kMagic.size()) != kMagic || least > (64U << 20U)) {
                throw broken(path, error.what());
            }
        }
    }
}

bool SequenceReader::find_mark() {
    const std::string wanted = std::string(kEscape) + mark_;
    while (true) {
        const std::string_view view = window_.view(wanted.size());
        const std::size_t found = view.find(wanted);
        const std::size_t passed =
            found != std::string_view::npos ? found : view.size() - std::min(view.size(), wanted.size() - 1);
        if (window_.position() + passed >= end_ || view.size() < wanted.size()) {
            return false;
        }
        window_.skip(passed);
        if (found != std::string_view::npos) {
            searching_ = false;
            return true;
        }
    }
}

bool SequenceReader::record(std::string_view& key, std::string_view& value) {
    window_.skip(taken_);
    taken_ = 0;
    std::string_view view = window_.view(8);
    if (view.empty()) {
        return false;
    }
    if (view.substr(0, kEscape.size()) == kEscape) {
        if (window_.position() >= end_) {
            return false;
        }
        view = window_.view(kEscape.size() + kMark);
        if (view.substr(kEscape.size(), kMark) != mark_) {
            throw broken(path_, "there is a wrong mark at byte " + std::to_string(window_.position()));
        }
        window_.skip(kEscape.size() + kMark);
        view = window_.view(8);
        if (view.empty()) {
            return false;
        }
    }
    const std::size_t length = view.size() < 8 ? 0 : load_int32(view.data());
    const std::size_t key_length = view.size() < 8 ? 1 : load_int32(view.data() + 4);
    if (key_length > length || length > INT32_MAX) {
        throw broken(path_, "there is no record at byte " + std::to_string(window_.position()));
    }
    view = window_.view(8 + length);
    if (view.size() < 8 + length) {
        throw broken(path_, "it ends early");
    }
    key = view.substr(8, key_length);
    value = view.substr(8 + key_length, length - key_length);
    taken_ = 8 + length;
    return true;
}

SequenceWriter::SequenceWriter(ByteSink& sink, std::string mark) : sink_(sink), mark_(std::move(mark)) {
    pending_ = kMagic;
    for (int i = 0; i < 2; ++i) {
        append_vint(pending_, static_cast<std::int64_t>(kText.size()));
        pending_ += kText;
    }
    pending_.append(6, '\0');  // not compressed, in no way; no metadata
    pending_ += mark_;
}

void SequenceWriter::append(std::string_view key, std::string_view value) {
    if (since_mark_ >= kBetweenMarks) {
        pending_ += kEscape;
        pending_ += mark_;
        since_mark_ = 0;
    }
    append_int32(pending_, static_cast<std::uint32_t>(key.size() + value.size()));
    append_int32(pending_, static_cast<std::uint32_t>(key.size()));
    pending_ += key;
    pending_ += value;
    since_mark_ += 8 + key.size() + value.size();
    if (pending_.size() >= kWriteAtOnce) {
        flush();
    }
}

void SequenceWriter::flush() {
    sink_.write(pending_);
    pending_.clear();
}

}  // namespace kvasir::hdfs
