#pragma once
// Metered memory for key-value pairs. Only what the engine itself allocates for KVs passes through here.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace kvasir {

/// Counter of the bytes that the containers of one rank hold, and of their peak.
class MemoryMeter {
  public:
    void add(std::size_t bytes) {
        current_ += bytes;
        peak_ = std::max(peak_, current_);
    }
    void remove(std::size_t bytes) { current_ -= bytes; }
    std::size_t current() const { return current_; }
    std::size_t peak() const { return peak_; }

  private:
    std::size_t current_ = 0;
    std::size_t peak_ = 0;
};

/// Uninitialised array of 64-bit words whose size is metered. Pages are touched only when written.
class WordBuffer {
  public:
    WordBuffer() = default;
    WordBuffer(MemoryMeter& meter, std::size_t words) : meter_(&meter), words_(words) {
        if (words == 0) {
            return;
        }
        data_ = static_cast<std::uint64_t*>(std::malloc(words * sizeof(std::uint64_t)));
        if (data_ == nullptr) {
            throw std::bad_alloc();
        }
        meter.add(bytes());
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
        T* memory = std::allocator<T>().allocate(n);
        meter_->add(n * sizeof(T));
        return memory;
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
