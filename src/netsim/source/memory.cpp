#include "netsim/memory.hpp"

#include <sys/mman.h>

namespace netsim {
namespace {

constexpr std::size_t kPage = std::size_t{2} << 20U;

/// Returns the alignment of a block: where it is that of a large page, whole pages are allocated.
constexpr std::size_t alignment(std::size_t bytes) { return bytes >= kPage / 2 ? kPage : kCacheLine; }
constexpr std::size_t whole(std::size_t bytes) {
    const std::size_t unit = alignment(bytes);
    return (bytes + unit - 1) / unit * unit;
}

class Pages final : public std::pmr::memory_resource {
    void* do_allocate(std::size_t bytes, std::size_t /*align*/) override { return allocate_pages(bytes); }
    void do_deallocate(void* block, std::size_t bytes, std::size_t /*align*/) override {
        free_pages(block, bytes);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

}  // namespace

void* allocate_pages(std::size_t bytes) {
    void* block = ::operator new (whole(bytes), std::align_val_t{alignment(bytes)});
    if (alignment(bytes) == kPage) {
        (void)madvise(block, whole(bytes), MADV_HUGEPAGE);  // where there are none, small ones do
    }
    return block;
}

void free_pages(void* block, std::size_t bytes) {
    ::operator delete (block, std::align_val_t{alignment(bytes)});
}

std::pmr::memory_resource& small_blocks() {
    static Pages pages;
    static std::pmr::monotonic_buffer_resource blocks(kPage, &pages);
    static std::pmr::synchronized_pool_resource pool({0, kPage / 2}, &blocks);
    return pool;
}

}  // namespace netsim
