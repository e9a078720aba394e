#include "kvasir/options.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include "kvasir/error.hpp"

namespace kvasir {
namespace {

constexpr std::size_t kSmallestPartition = 8;
constexpr std::size_t kLargestBuffer = std::size_t{16} << 30U;
constexpr std::size_t kSmallestMemory = 64U << 10U;

void require(bool holds, const std::string& message) {
    if (!holds) {
        throw Error(message);
    }
}

void validate_memory(const Options& options) {
    if (options.memory == 0) {
        require(options.spill.empty(), "spill: a folder without a budget; give --memory as well");
        return;
    }
    const std::string budget = "memory: " + std::to_string(options.memory) + " bytes; ";
    require(options.memory >= kSmallestMemory, budget + "it must be at least 64 KiB");
    require(options.send_buffer <= options.memory / 4, budget + "the send buffer of " +
                                                           std::to_string(options.send_buffer) +
                                                           " bytes must not be more than a quarter of it");
    require(options.balance == Balance::hash,
            budget + "a budget cannot be combined with --balance " + name_of(options.balance) +
                ", whose last exchange moves records of any size; use --balance hash");
    require(options.pipeline == Pipeline::pipelined,
            budget +
                "a budget cannot be combined with --pipeline staged, which keeps every container whole; "
                "use --pipeline pipelined");
}

}  // namespace

void validate(const Options& options, int ranks) {
    const std::size_t smallest = kSmallestPartition * static_cast<std::size_t>(ranks);
    require(options.send_buffer >= smallest && options.send_buffer <= kLargestBuffer,
            "send buffer: " + std::to_string(options.send_buffer) + " bytes; with " + std::to_string(ranks) +
                " ranks it must be from " + std::to_string(smallest) + " bytes to 16 GiB");
    require(options.in_flight >= 2 && options.in_flight <= 4,
            "in flight: " + std::to_string(options.in_flight) + "; it must be 2, 3 or 4");
    require(options.slice >= 64,
            "slice: " + std::to_string(options.slice) + " bytes; it must be at least 64");
    require(options.chunk >= 64,
            "chunk: " + std::to_string(options.chunk) + " bytes; it must be at least 64");
    require(options.balance_factor >= 1, "balance factor: it must be at least 1");
    require(options.balance_first >= 1, "first look at the balance: it must be after at least 1 record");
    validate_memory(options);
}

std::size_t parse_size(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, double>, 13> units{{{"", 1},
                                                                         {"b", 1},
                                                                         {"k", 1e3},
                                                                         {"m", 1e6},
                                                                         {"g", 1e9},
                                                                         {"t", 1e12},
                                                                         {"kb", 1e3},
                                                                         {"mb", 1e6},
                                                                         {"gb", 1e9},
                                                                         {"kib", 1024},
                                                                         {"mib", 1048576},
                                                                         {"gib", 1073741824},
                                                                         {"tb", 1e12}}};
    const std::string bad =
        "size '" + std::string(text) +
        "': expected a positive number of bytes with or without a unit (kB, MB, GB, KiB, MiB, GiB)";
    double number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc{} || !std::isfinite(number)) {
        throw Error(bad);
    }
    std::string unit;
    for (const char* at = end; at != text.data() + text.size(); ++at) {
        if (*at != ' ') {
            unit += static_cast<char>(std::tolower(static_cast<unsigned char>(*at)));
        }
    }
    const auto* found =
        std::find_if(units.begin(), units.end(), [&](const auto& u) { return u.first == unit; });
    if (found == units.end()) {
        throw Error(bad);
    }
    const double bytes = std::round(number * found->second);
    if (!(bytes >= 1) || bytes > 1e18) {
        throw Error(bad);
    }
    return static_cast<std::size_t>(bytes);
}

std::string name_of(Strategy value) {
    constexpr std::array names{"partition-full", "by-fill", "adaptive"};
    return names.at(static_cast<std::size_t>(value));
}

std::string name_of(CombineWhere value) {
    constexpr std::array names{"none", "before", "after", "both"};
    return names.at(static_cast<std::size_t>(value));
}

std::string name_of(Balance value) {
    constexpr std::array names{"hash", "repartition", "split"};
    return names.at(static_cast<std::size_t>(value));
}

std::string name_of(Pipeline value) { return value == Pipeline::staged ? "staged" : "pipelined"; }

std::string name_of(InputMode value) { return value == InputMode::dynamic ? "dynamic" : "static"; }

}  // namespace kvasir
