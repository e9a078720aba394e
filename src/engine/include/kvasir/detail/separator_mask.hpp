#pragma once
// Finds separators in blocks of 64 bytes.

#include <cstddef>
#include <cstdint>

#if defined(__AVX2__) || defined(__SSE2__)
#include <immintrin.h>
#endif

namespace kvasir::detail {

/// Returns a bit per byte of the 64 at `data`: whether it separates. Portable, one byte at a time.
template <class Separator>
std::uint64_t separator_mask_scalar(const char* data) {
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < 64; ++i) {
        mask |= static_cast<std::uint64_t>(Separator::separates(data[i])) << i;
    }
    return mask;
}

/// Returns the same by vector instructions where the compiler may use them.
template <class Separator>
std::uint64_t separator_mask(const char* data) {
#if defined(__AVX2__)
    std::uint64_t mask = 0;
    for (std::size_t i = 0; i < 2; ++i) {
        const __m256i c = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data + 32 * i));
        const auto bits = static_cast<std::uint32_t>(_mm256_movemask_epi8(Separator::separates(c)));
        mask |= static_cast<std::uint64_t>(bits) << (32 * i);
    }
    return mask;
#elif defined(__SSE2__)
    std::uint64_t mask = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const __m128i c = _mm_loadu_si128(reinterpret_cast<const __m128i*>(data + 16 * i));
        const auto bits = static_cast<std::uint32_t>(_mm_movemask_epi8(Separator::separates(c)));
        mask |= static_cast<std::uint64_t>(bits) << (16 * i);
    }
    return mask;
#else
    return separator_mask_scalar<Separator>(data);
#endif
}

}  // namespace kvasir::detail
