#include "kvasir/memory.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "kvasir/error.hpp"

namespace kvasir {

namespace {

constexpr std::size_t kLargePage = 2U << 20U;

bool heap_in_large_pages = false;

/// Asks for large pages where the heap has grown to since the last time. Where the system has none to give,
/// small ones do.
void ask_for_large_pages() {
    static char* asked = nullptr;
    char* const end = static_cast<char*>(::sbrk(0));
    char* const whole = end - reinterpret_cast<std::uintptr_t>(end) % kLargePage;
    if (whole > asked && asked != nullptr) {
        (void)::madvise(asked, static_cast<std::size_t>(whole - asked), MADV_HUGEPAGE);
    }
    asked = whole;
}

}  // namespace

void grow_heap_in_large_pages() {
#ifdef M_TOP_PAD
    constexpr int step = 64 << 20;
    heap_in_large_pages = ::mallopt(M_MMAP_THRESHOLD, kLargePage) == 1 && ::mallopt(M_TOP_PAD, step) == 1 &&
                          ::mallopt(M_TRIM_THRESHOLD, 2 * step) == 1;
    ask_for_large_pages();
#endif
}

void* allocate_block(std::size_t bytes) {
    const bool large = bytes >= kLargePage;
    const std::size_t whole = (bytes + kLargePage - 1) / kLargePage * kLargePage;
    void* const block = large ? std::aligned_alloc(kLargePage, whole) : std::malloc(bytes);
    if (block == nullptr) {
        throw OutOfMemory(bytes);
    }
    if (large) {
        (void)::madvise(block, whole, MADV_HUGEPAGE);
    } else if (heap_in_large_pages) {
        ask_for_large_pages();
    }
    return block;
}

void* resize_block(void* block, std::size_t bytes) {
    void* const resized = std::realloc(block, bytes);
    if (resized == nullptr) {
        throw OutOfMemory(bytes);
    }
    return resized;
}

MemoryRelief::~MemoryRelief() {
    if (meter_ != nullptr) {
        std::erase(meter_->reliefs_, this);
    }
}

void MemoryRelief::relieve_from_now_on(MemoryMeter& meter) {
    meter_ = &meter;
    meter.reliefs_.push_back(this);
}

void MemoryMeter::ask_for_room(std::size_t bytes) {
    for (auto relief = reliefs_.rbegin(); relief != reliefs_.rend() && !has_room(bytes); ++relief) {
        (*relief)->relieve(bytes);
    }
    if (!has_room(bytes)) {
        throw OverBudget("memory: the records need " + megabytes(current_ + bytes) +
                         " or more, the budget (--memory) is " + megabytes(budget_) +
                         (reliefs_.empty() ? "; give --spill a folder, or use a larger budget or more ranks"
                                           : "; buffers and the values of any one key must fit into it"));
    }
}

}  // namespace kvasir
