#pragma once
// Tokenizer: cuts bytes at separators, 64 at a time: one bit per byte says whether it separates.

#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__AVX2__) || defined(__SSE2__)
#include <immintrin.h>
#endif

#include "kvasir/detail/separator_mask.hpp"
#include "kvasir/padded_view.hpp"

namespace kvasir {

/// Separators of words: space, tab, line feed, vertical tab, form feed, carriage return (isspace() of locale
/// C).
struct WhiteSpace {
    static bool separates(char c) { return c == ' ' || static_cast<unsigned char>(c - '\t') < 5; }
#if defined(__AVX2__)
    static __m256i separates(__m256i c) {
        const __m256i control = _mm256_sub_epi8(c, _mm256_set1_epi8('\t'));
        return _mm256_or_si256(_mm256_cmpeq_epi8(c, _mm256_set1_epi8(' ')),
                               _mm256_cmpeq_epi8(_mm256_min_epu8(control, _mm256_set1_epi8(4)), control));
    }
#elif defined(__SSE2__)
    static __m128i separates(__m128i c) {
        const __m128i control = _mm_sub_epi8(c, _mm_set1_epi8('\t'));
        return _mm_or_si128(_mm_cmpeq_epi8(c, _mm_set1_epi8(' ')),
                            _mm_cmpeq_epi8(_mm_min_epu8(control, _mm_set1_epi8(4)), control));
    }
#endif
};

/// Separator of lines.
struct LineFeed {
    static bool separates(char c) { return c == '\n'; }
#if defined(__AVX2__)
    static __m256i separates(__m256i c) { return _mm256_cmpeq_epi8(c, _mm256_set1_epi8('\n')); }
#elif defined(__SSE2__)
    static __m128i separates(__m128i c) { return _mm_cmpeq_epi8(c, _mm_set1_epi8('\n')); }
#endif
};

/// Separator of strings as C ends them.
struct Nul {
    static bool separates(char c) { return c == '\0'; }
#if defined(__AVX2__)
    static __m256i separates(__m256i c) { return _mm256_cmpeq_epi8(c, _mm256_setzero_si256()); }
#elif defined(__SSE2__)
    static __m128i separates(__m128i c) { return _mm_cmpeq_epi8(c, _mm_setzero_si128()); }
#endif
};

/// Bytes that must be readable behind the ones for_each_token() is given.
inline constexpr std::size_t kTokenPadding = 64;

/// Calls sink(PaddedView) for each token, a run of bytes that do not separate. The end of the data ends the
/// last one.
template <class Separator, class Sink>
void for_each_token(const char* data, std::size_t size, Sink&& sink) {
    std::size_t begin = 0;  // behind the last separator
    for (std::size_t base = 0; base < size; base += 64) {
        std::uint64_t mask = detail::separator_mask<Separator>(data + base);
        if (size - base < 64) {
            mask &= (std::uint64_t{1} << (size - base)) - 1;
        }
        for (; mask != 0; mask &= mask - 1) {
            const std::size_t end = base + static_cast<std::size_t>(std::countr_zero(mask));
            if (end != begin) {
                sink(PaddedView(data + begin, end - begin));
            }
            begin = end + 1;
        }
    }
    if (begin < size) {
        sink(PaddedView(data + begin, size - begin));
    }
}

}  // namespace kvasir
