#pragma once
// Partitioners: the A rank of a record. The first two are Hadoop's own (HashPartitioner), so that a part of
// our output holds what the same part of Hadoop's does.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kvasir::hdfs {

/// Returns hashCode() of a Text with these bytes.
inline std::uint32_t text_hash(std::string_view text) {
    std::uint32_t hash = 1;
    for (const char c : text) {
        hash = 31 * hash + static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<signed char>(c)));
    }
    return hash;
}

inline int hash_partition(std::uint32_t hash, int parts) {
    return static_cast<int>((hash & 0x7fffffffU) % static_cast<std::uint32_t>(parts));
}

/// Partitioner by ranges of keys: part i ends before the i-th cut.
class RangePartition {
  public:
    explicit RangePartition(std::vector<std::string> cuts) : cuts_(std::move(cuts)) {}

    int operator()(std::string_view key) const {
        return static_cast<int>(std::upper_bound(cuts_.begin(), cuts_.end(), key) - cuts_.begin());
    }

  private:
    std::vector<std::string> cuts_;
};

/// Returns cuts that divide `samples` evenly in `parts` ranges.
std::vector<std::string> cuts_of(std::vector<std::string> samples, int parts);

}  // namespace kvasir::hdfs
