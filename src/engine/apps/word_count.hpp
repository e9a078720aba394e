#pragma once
// WordCount as map, combine and reduce.

#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>

namespace kvasir::app {

/// Emits every word with the value 1 (8 bytes).
struct EmitOne {
    template <class Word, class Emit>
    void operator()(const Word& word, Emit& emit) const {
        emit(word, 1);
    }
};

struct Add {
    std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};

struct Sum {
    std::uint64_t operator()(std::string_view /*word*/, std::span<const std::uint64_t> values) const {
        return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
    }
};

}  // namespace kvasir::app
