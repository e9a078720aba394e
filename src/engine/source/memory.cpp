#include "kvasir/memory.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <string>

#include "kvasir/error.hpp"

namespace kvasir {

void* allocate_block(std::size_t bytes) {
    constexpr std::size_t large_page = 2U << 20U;
    const bool large = bytes >= large_page;
    const std::size_t whole = (bytes + large_page - 1) / large_page * large_page;
    void* const block = large ? std::aligned_alloc(large_page, whole) : std::malloc(bytes);
    if (block == nullptr) {
        throw OutOfMemory(bytes);
    }
    if (large) {
        (void)::madvise(block, whole, MADV_HUGEPAGE);  // where the system has none to give, small pages do
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
