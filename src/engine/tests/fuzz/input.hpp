#pragma once
// What the fuzz targets share: numbers and strings from the input, and the end of the process when a check
// fails.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace kvasir::fuzz {

/// Ends the process where `holds` is false, so that libFuzzer keeps the input.
inline void check(bool holds, const char* what) {
    if (!holds) {
        (void)std::fprintf(stderr, "fuzz: %s\n", what);
        std::abort();
    }
}

/// Input of a target, taken from the front. An empty input gives zeros and empty strings.
class Input {
  public:
    Input(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

    bool empty() const { return rest_.empty(); }
    std::uint8_t byte() {
        const std::string_view one = bytes(1);
        return one.empty() ? 0 : static_cast<std::uint8_t>(one[0]);
    }
    /// Takes `most` bytes, or what there is.
    std::string_view bytes(std::size_t most) {
        const std::string_view found = rest_.substr(0, std::min(most, rest_.size()));
        rest_.remove_prefix(found.size());
        return found;
    }
    std::string_view rest() { return bytes(rest_.size()); }

  private:
    std::string_view rest_;
};

}  // namespace kvasir::fuzz
