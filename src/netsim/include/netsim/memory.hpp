#pragma once
/// Memory in large pages. A large network's state is spread over tens of megabytes and visited in no order:
/// with pages of 4 KiB most visits would have to look up their page's address first.

#include <cstddef>
#include <cstdlib>
#include <memory_resource>
#include <new>

namespace netsim {

inline constexpr std::size_t kCacheLine = 64;

/// Allocates blocks of the system, in large pages where the block is as large as one.
void* allocate_pages(std::size_t bytes);
void free_pages(void* block, std::size_t bytes);

/// Allocator of containers that may become large; memory begins at a cache line.
template <class T>
struct PageAllocator {
    using value_type = T;
    PageAllocator() = default;
    template <class U>
    explicit PageAllocator(const PageAllocator<U>& /*other*/) {}
    T* allocate(std::size_t n) { return static_cast<T*>(allocate_pages(n * sizeof(T))); }
    void deallocate(T* p, std::size_t n) { free_pages(p, n * sizeof(T)); }
    bool operator==(const PageAllocator& /*other*/) const { return true; }
};

/// Asks for the cache line of an address. GCC takes a function that does nothing else for one without effect,
/// and drops calls of it; the empty statement keeps them.
inline void prefetch(const void* address) {
    __builtin_prefetch(address);
    __asm__ volatile("");
}

/// Pool of small blocks that lie close together in large pages. Threads may share it.
std::pmr::memory_resource& small_blocks();

}  // namespace netsim
