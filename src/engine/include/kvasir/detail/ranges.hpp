#pragma once
// Ranges of records, one per rank, that are about equally full.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kvasir/mpi.hpp"

namespace kvasir::detail {

/// Begin of a record: its key and its value, or the first bytes of them.
using RecordHead = std::pair<std::string, std::string>;

/// Some of a rank's records; each stands for `weight` of them.
struct Sample {
    std::vector<RecordHead> heads;
    std::uint64_t weight = 1;
};

/// Ranges in the order of records, by key and then by value: range i ends before cut i.
class Ranges {
  public:
    explicit Ranges(std::vector<RecordHead> cuts) : cuts_(std::move(cuts)) {}

    /// Returns the number of the range that a record lies in.
    int part_of(std::string_view key, std::string_view value) const {
        std::size_t begin = 0;
        std::size_t end = cuts_.size();
        while (begin != end) {
            const std::size_t middle = begin + (end - begin) / 2;
            const int order = key.compare(cuts_[middle].first);
            const bool before = order != 0 ? order < 0 : value < std::string_view(cuts_[middle].second);
            (before ? end : begin) = before ? middle : middle + 1;
        }
        return static_cast<int>(begin);
    }

  private:
    std::vector<RecordHead> cuts_;
};

/// Makes as many ranges as there are ranks of the samples of all. Collective.
Ranges agree_on_ranges(const Communicator& comm, const Sample& own);

}  // namespace kvasir::detail
