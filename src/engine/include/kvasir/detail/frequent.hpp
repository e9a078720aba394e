#pragma once
// Sampling of very frequent keys.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kvasir::detail {

/// Counts of hashes seen in a sample of the records; keeps those that are frequent for sure (Misra and
/// Gries).
class FrequentHashes {
  public:
    struct Entry {
        std::uint64_t hash = 0;
        std::uint64_t count = 0;
    };
    static constexpr std::size_t kEntries = 256;

    /// Notes a record of this hash. Looks at one in 16 only, at irregular distances: keys may come in a
    /// rhythm.
    void pass(std::uint64_t hash) {
        if (--until_next_ == 0) {
            see(hash);
            random_ = random_ * 6364136223846793005ULL + 1442695040888963407ULL;
            until_next_ = 1 + (random_ >> 33U) % kLongest;
        }
    }
    void see(std::uint64_t hash);
    /// Returns the number of records looked at.
    std::uint64_t seen() const { return seen_; }
    const std::vector<Entry>& entries() const { return entries_; }

  private:
    static constexpr std::uint64_t kLongest = 31;

    std::vector<Entry> entries_;
    std::uint64_t until_next_ = 1;
    std::uint64_t random_ = 1;
    std::uint64_t seen_ = 0;
};

}  // namespace kvasir::detail
