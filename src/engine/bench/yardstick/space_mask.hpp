#pragma once
// Which of 64 bytes are white space. White space is what isspace() means in the C locale: blank and the bytes
// 9 to 13, so that no byte of a longer UTF-8 character is ever taken for a separator.

#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace kvasir::bench {

/// Bit i of the result tells whether `bytes[i]` is white space; 64 bytes are read.
inline std::uint64_t space_mask(const char* bytes) {
#if defined(__AVX512BW__)
    const __m512i text = _mm512_loadu_si512(bytes);
    const __m512i shifted = _mm512_sub_epi8(text, _mm512_set1_epi8(9));
    return _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8(' ')) |
           _mm512_cmple_epu8_mask(shifted, _mm512_set1_epi8(4));
#elif defined(__AVX2__)
    std::uint64_t mask = 0;
    for (unsigned part = 0; part < 64; part += 32) {
        const __m256i text = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + part));
        const __m256i shifted = _mm256_sub_epi8(text, _mm256_set1_epi8(9));
        const __m256i control = _mm256_cmpeq_epi8(_mm256_min_epu8(shifted, _mm256_set1_epi8(4)), shifted);
        const __m256i space = _mm256_or_si256(control, _mm256_cmpeq_epi8(text, _mm256_set1_epi8(' ')));
        mask |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(space))) << part;
    }
    return mask;
#elif defined(__SSE2__)
    std::uint64_t mask = 0;
    for (unsigned part = 0; part < 64; part += 16) {
        const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + part));
        const __m128i shifted = _mm_sub_epi8(text, _mm_set1_epi8(9));
        const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(shifted, _mm_set1_epi8(4)), shifted);
        const __m128i space = _mm_or_si128(control, _mm_cmpeq_epi8(text, _mm_set1_epi8(' ')));
        mask |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(space))) << part;
    }
    return mask;
#else
    std::uint64_t mask = 0;
    for (unsigned at = 0; at < 64; ++at) {
        const auto byte = static_cast<unsigned char>(bytes[at]);
        mask |= static_cast<std::uint64_t>(byte == ' ' || (byte >= 9 && byte <= 13)) << at;
    }
    return mask;
#endif
}

}  // namespace kvasir::bench
