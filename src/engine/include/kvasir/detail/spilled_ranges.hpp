#pragma once
// Records of a spilled partition by ranges of their hashes, for partitions that memory has no room for.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kvasir/detail/record.hpp"
#include "kvasir/detail/record_pages.hpp"
#include "kvasir/detail/spill.hpp"
#include "kvasir/memory.hpp"
#include "kvasir/values.hpp"

namespace kvasir::detail {

/// A key, and how many records have it.
struct KeySize {
    WordBuffer key;  ///< begin of a record: hash and key
    std::uint64_t records = 0;
    std::size_t words = 0;
};

/// Reads one partition of a file. All members throw Error.
template <class Key, class Value>
class SpilledRanges {
    using R = RecordTraits<Key, Value>;

  public:
    static constexpr std::size_t kRanges = 256;

    SpilledRanges(MemoryMeter& meter, SpilledPartitions& spill, std::size_t part)
        : meter_(meter), spill_(spill), part_(part) {}

    /// Returns the words of the records of each range.
    std::array<std::size_t, kRanges> sizes() const {
        std::array<std::size_t, kRanges> sizes{};
        for_each(0, kRanges,
                 [&](const std::uint64_t* record, std::size_t words) { sizes[range_of(record)] += words; });
        return sizes;
    }

    /// Calls visit(record, words) for the records of ranges [first, last).
    template <class Visit>
    void for_each(std::size_t first, std::size_t last, Visit&& visit) const {
        spill_.for_each_block(part_, [&](const std::uint64_t* at, std::size_t words) {
            for (const std::uint64_t* end = at + words; at != end;) {
                const std::size_t length = R::words(at);
                const std::size_t range = range_of(at);
                if (range >= first && range < last) {
                    visit(at, length);
                }
                at += length;
            }
        });
    }

    /// Returns the keys of a range, which are few: a 65,536th of the rank's.
    std::vector<KeySize> keys(std::size_t range) const {
        std::vector<KeySize> keys;
        for_each(range, range + 1, [&](const std::uint64_t* record, std::size_t words) {
            auto found = std::find_if(keys.begin(), keys.end(), [&](const KeySize& key) {
                return R::same_key(record, key.key.data());
            });
            if (found == keys.end()) {
                KeySize& key = keys.emplace_back();
                key.key = WordBuffer(meter_, R::value_offset(record));
                copy_words(key.key.data(), record, key.key.words());
                found = keys.end() - 1;
            }
            ++found->records;
            found->words += words;
            std::swap(*found, keys.front());  // nearly all records that follow have the largest
        });
        return keys;
    }

    /// Calls stream(record, values) with the begin of a record and all values of a key, a block at a time.
    template <class Stream>
    void stream(const KeySize& key, Stream& stream) const {
        const typename Values<Value>::Parts parts = [&](const typename Values<Value>::Visit& visit) {
            MeteredVector<Value> some{MeteredAllocator<Value>(meter_)};
            spill_.for_each_block(part_, [&](const std::uint64_t* at, std::size_t words) {
                some.clear();
                for (const std::uint64_t* end = at + words; at != end; at += R::words(at)) {
                    if (R::same_key(at, key.key.data())) {
                        some.push_back(R::value(at));
                    }
                }
                visit(some);
            });
        };
        stream(key.key.data(), Values<Value>(key.records, parts));
    }

  private:
    static std::size_t range_of(const std::uint64_t* record) { return (R::hash(record) >> 16U) % kRanges; }

    MemoryMeter& meter_;
    SpilledPartitions& spill_;
    std::size_t part_;
};

}  // namespace kvasir::detail
