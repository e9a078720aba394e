#pragma once
// Sort in place by the bytes of a 64-bit prefix (American flag sort: P. M. McIlroy, K. Bostic, M. D. McIlroy,
// Engineering Radix Sort, 1993), for ranges that are long; a comparison sort finishes the short ones.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace kvasir::detail {

/// Sorts [begin, end) by before(a, b), which must order by a.prefix and b.prefix first. The prefixes agree in
/// all bits above `shift` + 8.
template <class Entry, class Before>
void radix_sort(Entry* begin, Entry* end, Before& before, unsigned shift = 56) {
    constexpr std::ptrdiff_t kShort = 192;
    constexpr std::size_t kBuckets = 256;
    if (end - begin <= kShort) {
        std::sort(begin, end, before);
        return;
    }
    const auto digit = [shift](const Entry& entry) { return (entry.prefix >> shift) & (kBuckets - 1); };
    std::array<std::size_t, kBuckets> count{};
    for (const Entry* entry = begin; entry != end; ++entry) {
        ++count[digit(*entry)];
    }
    std::array<Entry*, kBuckets> next;   // where the next entry of a bucket goes
    std::array<Entry*, kBuckets> limit;  // end of a bucket
    Entry* at = begin;
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
        next[bucket] = at;
        at += count[bucket];
        limit[bucket] = at;
    }
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
        while (next[bucket] != limit[bucket]) {
            Entry entry = *next[bucket];
            for (std::size_t to = digit(entry); to != bucket; to = digit(entry)) {
                std::swap(entry, *next[to]++);
            }
            *next[bucket]++ = entry;
        }
    }
    at = begin;
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
        Entry* const last = limit[bucket];
        if (shift != 0) {
            radix_sort(at, last, before, shift - 8);
        } else {
            std::sort(at, last, before);
        }
        at = last;
    }
}

}  // namespace kvasir::detail
