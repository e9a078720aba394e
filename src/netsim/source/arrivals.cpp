#include "netsim/arrivals.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "netsim/error.hpp"

namespace netsim {
namespace {

/// Absolute time in a file and size.
struct Frame {
    std::int64_t picoseconds;
    std::uint32_t bytes;
};

[[noreturn]] void bad_line(const std::string& path, std::size_t line, std::string_view why) {
    throw Error(path + ":" + std::to_string(line) + ": " + std::string(why));
}

bool parse_line(std::string_view line, double& time, double& bytes) {
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos) {
        return false;
    }
    const auto read = [](std::string_view text, double& to) {
        while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
            text.remove_prefix(1);
        }
        while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
            text.remove_suffix(1);
        }
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), to);
        return code == std::errc() && end == text.data() + text.size();
    };
    return read(line.substr(0, comma), time) && read(line.substr(comma + 1), bytes);
}

std::vector<Frame> read_csv(const std::string& path, std::string_view text) {
    constexpr double kMostSeconds = 9e6;
    constexpr double kMostBytes = 65536;
    std::vector<Frame> frames;
    std::size_t number = 0;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        ++number;
        if (line.empty() || line == "\r") {
            continue;
        }
        double time = 0;
        double bytes = 0;
        if (!parse_line(line, time, bytes)) {
            if (number == 1) {
                continue;  // the head
            }
            bad_line(path, number, "expected t_s,bytes");
        }
        if (!(std::abs(time) <= kMostSeconds)) {
            bad_line(path, number, "a time must be within 9e6 s");
        }
        if (!(bytes >= 1 && bytes <= kMostBytes)) {
            bad_line(path, number, "a frame must have 1 to 65536 bytes");
        }
        frames.push_back({seconds(time), static_cast<std::uint32_t>(bytes)});
    }
    return frames;
}

constexpr bool is_magic(std::uint32_t x) { return x == 0xa1b2c3d4U || x == 0xa1b23c4dU; }

/// The 32-bit words of a capture file, in its byte order.
class Words {
  public:
    explicit Words(std::string_view bytes) : bytes_(bytes) {
        big_ = bytes.size() >= 4 && !is_magic(word(0));
        capture_ = bytes.size() >= 4 && is_magic(word(0));
    }
    /// Whether this is a capture at all.
    bool capture() const { return capture_; }
    std::uint32_t word(std::size_t at) const {
        std::uint32_t x = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            const std::size_t shift = 8 * (big_ ? 3 - i : i);
            x |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes_[at + i])) << shift;
        }
        return x;
    }

  private:
    std::string_view bytes_;
    bool big_ = false;
    bool capture_ = false;
};

std::vector<Frame> read_pcap(const std::string& path, std::string_view bytes, const Words& words) {
    constexpr std::uint32_t kNanoseconds = 0xa1b23c4dU;
    constexpr std::uint32_t kEthernet = 1;
    constexpr std::size_t kHead = 24;
    constexpr std::size_t kRecord = 16;
    constexpr std::uint32_t kMostBytes = 65536;
    constexpr std::uint32_t kCheckSum = 4;
    constexpr std::uint32_t kSmallest = 64;
    constexpr std::int64_t kMostSeconds = 9'000'000;
    const auto fail = [&path](const char* why, std::size_t at) -> void {
        throw Error(path + ": " + why + " at byte " + std::to_string(at));
    };
    if (bytes.size() < kHead) {
        fail("capture is cut off", bytes.size());
    }
    if ((words.word(20) & 0xffffU) != kEthernet) {
        fail("another link type than Ethernet", 20);
    }
    const Time unit = words.word(0) == kNanoseconds ? kNanosecond : kMicrosecond;
    std::vector<Frame> frames;
    std::int64_t first = 0;
    for (std::size_t at = kHead; at < bytes.size();) {
        if (bytes.size() - at < kRecord || bytes.size() - at - kRecord < words.word(at + 8)) {
            fail("capture is cut off", at);
        }
        const std::uint32_t length = words.word(at + 12);
        if (length == 0 || length > kMostBytes) {
            fail("frame of impossible length", at);
        }
        if (frames.empty()) {
            first = words.word(at);  // picoseconds since 1970 would not fit
        }
        const std::int64_t second = static_cast<std::int64_t>(words.word(at)) - first;
        if (second > kMostSeconds || second < -kMostSeconds) {
            fail("more than 9e6 s from the first frame", at);
        }
        frames.push_back(
            {second * kSecond + words.word(at + 4) * unit, std::max(length + kCheckSum, kSmallest)});
        at += kRecord + words.word(at + 8);
    }
    return frames;
}

}  // namespace

Recording read_recording(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw Error("cannot read " + path);
    }
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const Words words(bytes);
    std::vector<Frame> frames = words.capture() ? read_pcap(path, bytes, words) : read_csv(path, bytes);
    if (frames.empty()) {
        throw Error(path + ": no frames");
    }
    std::stable_sort(frames.begin(), frames.end(),
                     [](const Frame& a, const Frame& b) { return a.picoseconds < b.picoseconds; });
    std::vector<Arrival> arrivals;
    arrivals.reserve(frames.size());
    for (const Frame& frame : frames) {
        arrivals.push_back({frame.picoseconds - frames.front().picoseconds, frame.bytes});
    }
    return {std::move(arrivals), words.capture()};
}

}  // namespace netsim
