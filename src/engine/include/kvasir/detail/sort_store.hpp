#pragma once
// Container of records to be sorted: packed as they arrived, with 16 bytes each to sort by.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "kvasir/detail/packed_block.hpp"
#include "kvasir/detail/radix_sort.hpp"
#include "kvasir/memory.hpp"

namespace kvasir::detail {

/// Sorts by key, then value, byte by byte, so that the result does not depend on the order of arrival.
class SortStore {
  public:
    explicit SortStore(MemoryMeter& meter) : meter_(meter), entries_(MeteredAllocator<Entry>(meter)) {}

    /// Copies the records of a PackedBlock; returns their number.
    std::uint64_t ingest(const std::uint64_t* data, std::size_t words) {
        WordBuffer page(meter_, words);
        std::memcpy(page.data(), data, words * sizeof(std::uint64_t));
        pages_.push_back(std::move(page));
        return PackedBlock::for_each(pages_.back().data(), [&](const char* at, const PackedRecord& record) {
            entries_.push_back({prefix_of(record.key), at});
        });
    }

    void sort() {
        const auto before = [](const Entry& a, const Entry& b) {
            if (a.prefix != b.prefix) [[likely]] {
                return a.prefix < b.prefix;
            }
            const PackedRecord left = PackedRecord::at(a.record);
            const PackedRecord right = PackedRecord::at(b.record);
            const int order = left.key.compare(right.key);
            return order != 0 ? order < 0 : left.value < right.value;
        };
        radix_sort(entries_.data(), entries_.data() + entries_.size(), before);
    }

    std::size_t size() const { return entries_.size(); }
    PackedRecord operator[](std::size_t i) const { return PackedRecord::at(entries_[i].record); }

  private:
    struct Entry {
        std::uint64_t prefix;  ///< first bytes of the key, so that numbers compare as the bytes do
        const char* record;
    };

    static std::uint64_t prefix_of(std::string_view key) {
        std::uint64_t bytes = 0;
        if (!key.empty()) {
            std::memcpy(&bytes, key.data(), std::min<std::size_t>(key.size(), 8));
        }
        return __builtin_bswap64(bytes);
    }

    MemoryMeter& meter_;
    std::vector<WordBuffer> pages_;
    MeteredVector<Entry> entries_;
};

}  // namespace kvasir::detail
