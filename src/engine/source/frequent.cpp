#include "kvasir/detail/frequent.hpp"

#include <algorithm>

namespace kvasir::detail {

void FrequentHashes::see(std::uint64_t hash) {
    ++seen_;
    for (Entry& entry : entries_) {
        if (entry.hash == hash) {
            ++entry.count;
            return;
        }
    }
    if (entries_.size() < kEntries) {
        entries_.push_back({hash, 1});
        return;
    }
    for (Entry& entry : entries_) {
        --entry.count;
    }
    entries_.erase(
        std::remove_if(entries_.begin(), entries_.end(), [](const Entry& e) { return e.count == 0; }),
        entries_.end());
}

}  // namespace kvasir::detail
