#pragma once
// Metered memory for key-value pairs, with or without a budget. Only what the engine itself allocates for KVs
// passes through here.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "kvasir/error.hpp"

namespace kvasir {

/// Failure to get memory from the operating system.
class OutOfMemory : public std::bad_alloc {
  public:
    explicit OutOfMemory(std::size_t asked) : asked_(asked) {}
    std::size_t asked() const { return asked_; }  ///< bytes
    const char* what() const noexcept override { return "out of memory"; }

  private:
    std::size_t asked_;
};

/// Refusal of memory beyond the budget of a rank.
class OverBudget : public Error {
  public:
    using Error::Error;
};

class MemoryMeter;

/// What a meter asks for room when its budget is used up.
class MemoryRelief {
  public:
    MemoryRelief() = default;
    MemoryRelief(const MemoryRelief&) = delete;
    MemoryRelief& operator=(const MemoryRelief&) = delete;
    /// Frees memory until the meter has room for `bytes` more bytes, or as much as can be freed.
    virtual void relieve(std::size_t bytes) = 0;

  protected:
    ~MemoryRelief();
    /// Is asked by `meter` for room before those that it asked so far, as long as this lives. Once only.
    void relieve_from_now_on(MemoryMeter& meter);

  private:
    MemoryMeter* meter_ = nullptr;
};

/// Counter of the bytes that the containers of one rank hold, and of their peak. With a budget it counts no
/// byte beyond it.
class MemoryMeter {
  public:
    /// Adds bytes that are about to be allocated. Throws OverBudget where the budget has no room for them.
    void add(std::size_t bytes) {
        make_room(bytes);
        current_ += bytes;
        peak_ = std::max(peak_, current_);
    }
    void remove(std::size_t bytes) { current_ -= bytes; }
    std::size_t current() const { return current_; }
    std::size_t peak() const { return peak_; }

    /// Sets the budget in bytes; 0: none.
    void set_budget(std::size_t bytes) { budget_ = bytes == 0 ? SIZE_MAX : bytes; }
    bool has_budget() const { return budget_ != SIZE_MAX; }
    std::size_t budget() const { return budget_; }

    bool has_room(std::size_t bytes) const { return bytes <= budget_ && current_ <= budget_ - bytes; }
    /// Sees to it that the budget has room for `bytes` more bytes; throws OverBudget where it cannot.
    void make_room(std::size_t bytes) {
        if (!has_room(bytes)) [[unlikely]] {
            ask_for_room(bytes);
        }
    }

  private:
    friend class MemoryRelief;

    void ask_for_room(std::size_t bytes);

    std::size_t current_ = 0;
    std::size_t peak_ = 0;
    std::size_t budget_ = SIZE_MAX;
    std::vector<MemoryRelief*> reliefs_;
};

/// Makes the heap grow by many pages at a time, large ones where the system has any, since most of the time
/// of small allocations is that of their page faults otherwise. Sets options of malloc for the whole process;
/// where it has none, as another malloc than glibc's, nothing changes.
void grow_heap_in_large_pages();

/// Allocates `bytes` bytes, uninitialised; those from 2 MiB on in large pages where the system has any:
/// tables are visited in no order, and the processor would have to look up most addresses' pages first.
/// Memory from free(). Throws OutOfMemory.
void* allocate_block(std::size_t bytes);
/// Makes memory of allocate_block's larger or smaller; its content stays, its address need not. Throws
/// OutOfMemory.
void* resize_block(void* block, std::size_t bytes);

/// Uninitialised array of 64-bit words whose size is metered. Pages are touched only when written.
class WordBuffer {
  public:
    WordBuffer() = default;
    WordBuffer(MemoryMeter& meter, std::size_t words) : meter_(&meter), words_(words) {
        if (words == 0) {
            return;
        }
        meter.add(bytes());
        try {
            data_ = static_cast<std::uint64_t*>(allocate_block(bytes()));
        } catch (const OutOfMemory&) {
            meter.remove(bytes());
            throw;
        }
    }
    ~WordBuffer() {
        if (data_ != nullptr) {
            meter_->remove(bytes());
            std::free(data_);
        }
    }
    WordBuffer(const WordBuffer&) = delete;
    WordBuffer& operator=(const WordBuffer&) = delete;
    WordBuffer(WordBuffer&& other) noexcept
        : meter_(other.meter_),
          data_(std::exchange(other.data_, nullptr)),
          words_(std::exchange(other.words_, 0)) {}
    WordBuffer& operator=(WordBuffer&& other) noexcept {
        std::swap(meter_, other.meter_);
        std::swap(data_, other.data_);
        std::swap(words_, other.words_);
        return *this;
    }

    /// Makes it longer or shorter, of one word at least; what has room in it stays. Throws OutOfMemory or
    /// OverBudget, and is as it was then.
    void resize(std::size_t words) {
        const std::size_t before = bytes();
        const std::size_t after = words * sizeof(std::uint64_t);
        meter_->add(std::max(before, after) - before);
        try {
            data_ = static_cast<std::uint64_t*>(resize_block(data_, after));
        } catch (const OutOfMemory&) {
            meter_->remove(std::max(before, after) - before);
            throw;
        }
        words_ = words;
        meter_->remove(std::max(before, after) - after);
    }

    std::uint64_t* data() { return data_; }
    const std::uint64_t* data() const { return data_; }
    std::size_t words() const { return words_; }
    std::size_t bytes() const { return words_ * sizeof(std::uint64_t); }

  private:
    MemoryMeter* meter_ = nullptr;
    std::uint64_t* data_ = nullptr;
    std::size_t words_ = 0;
};

/// Allocator that meters its bytes and leaves trivial elements uninitialised on resize().
template <class T>
class MeteredAllocator {
  public:
    using value_type = T;
    explicit MeteredAllocator(MemoryMeter& meter) : meter_(&meter) {}
    template <class U>
    explicit MeteredAllocator(const MeteredAllocator<U>& other) : meter_(other.meter()) {}

    T* allocate(std::size_t n) {
        meter_->add(n * sizeof(T));
        try {
            return std::allocator<T>().allocate(n);
        } catch (const std::bad_alloc&) {
            meter_->remove(n * sizeof(T));
            throw OutOfMemory(n * sizeof(T));
        }
    }
    void deallocate(T* memory, std::size_t n) {
        meter_->remove(n * sizeof(T));
        std::allocator<T>().deallocate(memory, n);
    }
    template <class U>
    void construct(U* at) {
        ::new (static_cast<void*>(at)) U;
    }
    template <class U, class... Arguments>
    void construct(U* at, Arguments&&... arguments) {
        ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
    }
    MemoryMeter* meter() const { return meter_; }
    bool operator==(const MeteredAllocator& other) const { return meter_ == other.meter_; }

  private:
    MemoryMeter* meter_;
};

template <class T>
using MeteredVector = std::vector<T, MeteredAllocator<T>>;

}  // namespace kvasir
