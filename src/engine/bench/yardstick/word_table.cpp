#include "word_table.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace kvasir::bench {

namespace {

constexpr std::uint64_t kLongMark = 0xFF;
constexpr std::size_t kCachedSlots = 1U << 15U;  ///< 1 MiB of slots
constexpr std::uint64_t kChecksumBits = (std::uint64_t{1} << 52U) - 1;

/// What a word and its count add to the checksum. The definition is checksum_of() in kvasir/report.hpp; it is
/// written again here so that this program needs no MPI, and programs that agree do not do so by sharing a
/// mistake.
std::uint64_t contribution(std::string_view word, std::uint64_t count) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
    for (const char letter : word) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
    }
    hash ^= count * 0x9e3779b97f4a7c15ULL;  // then the finaliser of splitmix64
    hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebULL;
    return hash ^ (hash >> 31U);
}

}  // namespace

void WordTable::settle() {
    const std::size_t waiting = std::min(queued_, kAhead);
    for (std::size_t i = queued_ - waiting; i < queued_; ++i) {
        count(queue_[i % kAhead]);
    }
    queued_ = 0;
}

std::uint64_t WordTable::checksum() const {
    std::uint64_t sum = 0;
    for_each([&](std::string_view word, std::uint64_t count) { sum += contribution(word, count); });
    return sum & kChecksumBits;
}

bool WordTable::same_long(const Slot& slot, const Code& code) const {
    return slot.hash == code.hash && slot.first == code.first &&
           std::memcmp(arena_.data() + slot.second, code.tail, code.tail_bytes) == 0;
}

void WordTable::insert(std::size_t at, const Code& code) {
    Slot slot{code.hash, code.first, code.second, 1};
    if (code.tail != nullptr) {
        slot.second = arena_.size();
        arena_.insert(arena_.end(), code.tail, code.tail + code.tail_bytes);
    }
    slots_[at] = slot;
    ++words_;
    ++keys_;
    // A table in the cache costs wrong guesses of where a probe ends, so it stays half empty; a larger one
    // costs the memory it touches, so it is filled more.
    const bool cached = slots_.size() <= kCachedSlots;
    if (cached ? keys_ * 2 > slots_.size() : keys_ * 3 > slots_.size() * 2) {
        grow();
    }
}

void WordTable::grow() {
    std::vector<Slot> larger(slots_.size() * 2);
    for (const Slot& slot : slots_) {
        if (slot.count == 0) {
            continue;
        }
        std::size_t at = slot.hash & (larger.size() - 1);
        while (larger[at].count != 0) {
            at = (at + 1) & (larger.size() - 1);
        }
        larger[at] = slot;
    }
    slots_ = std::move(larger);
}

std::string_view WordTable::word_of(const Slot& slot) const {
    if ((slot.first & kLongMark) == kLongMark) {
        return {arena_.data() + slot.second, slot.first >> 8U};
    }
    // Length in the lowest byte, then the letters: on into the second word where they do not fit.
    return {reinterpret_cast<const char*>(&slot) + offsetof(Slot, first) + 1, slot.first & kLongMark};
}

}  // namespace kvasir::bench
