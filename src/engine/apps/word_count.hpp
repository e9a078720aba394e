#pragma once
// WordCount as map, combine and reduce.

#include <cstdint>
#include <string_view>

#include "kvasir/values.hpp"

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
    std::uint64_t operator()(std::string_view /*word*/, const Values<std::uint64_t>& values) const {
        std::uint64_t sum = 0;
        values.for_each([&](std::uint64_t value) { sum += value; });
        return sum;
    }
};

}  // namespace kvasir::app
