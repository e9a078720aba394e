// How much memory the engine's own containers hold, now and at most.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

namespace kvasir {

/// Counts bytes held by containers of one rank.
class MemoryMeter {
 public:
  void add(std::size_t bytes) {
    held_ += bytes;
    peak_ = std::max(peak_, held_);
  }
  void remove(std::size_t bytes) { held_ -= bytes; }
  [[nodiscard]] std::size_t peak() const { return peak_; }

 private:
  std::size_t held_ = 0;
  std::size_t peak_ = 0;
};

/// A block of uninitialised bytes that tells a meter about itself. Pages that are never written cost nothing.
class Block {
 public:
  Block() = default;
  Block(std::size_t size, MemoryMeter& meter)
      : bytes_(std::make_unique_for_overwrite<char[]>(size)), size_(size), meter_(&meter) {
    meter.add(size);
  }
  Block(Block&& other) noexcept { swap(other); }
  Block& operator=(Block&& other) noexcept {
    Block taken(std::move(other));
    swap(taken);
    return *this;
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() {
    if (meter_ != nullptr) meter_->remove(size_);
  }

  [[nodiscard]] char* data() { return bytes_.get(); }
  [[nodiscard]] const char* data() const { return bytes_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  void swap(Block& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
    std::swap(meter_, other.meter_);
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  MemoryMeter* meter_ = nullptr;
};

}  // namespace kvasir
