#include "kvasir/memory.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <string>

#include "kvasir/error.hpp"

namespace kvasir {
namespace {

constexpr std::size_t kLargePage = 2U << 20U;

/// Allocates whole large pages; where the system has none to give, small ones do.
void* allocate_large(std::size_t bytes) {
    const std::size_t whole = (bytes + kLargePage - 1) / kLargePage * kLargePage;
    void* const block = std::aligned_alloc(kLargePage, whole);
    if (block == nullptr) {
        throw OutOfMemory(bytes);
    }
    (void)::madvise(block, whole, MADV_HUGEPAGE);
    return block;
}

}  // namespace

void* allocate_block(std::size_t bytes) {
    if (bytes >= kLargePage) {
        return allocate_large(bytes);
    }
    void* const block = std::malloc(bytes);
    if (block == nullptr) {
        throw OutOfMemory(bytes);
    }
    return block;
}

void MemoryMeter::ask_for_room(std::size_t bytes) {
    if (relief_ != nullptr) {
        relief_->relieve(bytes);
    }
    if (!has_room(bytes)) {
        throw OverBudget("memory: the records need " + megabytes(current_ + bytes) +
                         " or more, the budget (--memory) is " + megabytes(budget_) +
                         (relief_ == nullptr ? "; give --spill a folder, or use a larger budget or more ranks"
                                             : "; buffers and the values of any one key must fit into it"));
    }
}

}  // namespace kvasir
