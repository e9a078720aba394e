#pragma once
// A MapReduce that is plainly right (one process, std::map), random inputs, and the comparison with the
// engine.

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kvasir/map_reduce.hpp"
#include "kvasir/report.hpp"

namespace kvasir::test {

using Record = std::pair<std::string, std::string>;
using Output = std::map<std::string, std::string>;

/// Kinds of inputs that have been known to break things.
enum class Kind { skewed, equal, distinct, lengths, empty_keys, long_keys, none };
inline constexpr Kind kKinds[] = {Kind::skewed,     Kind::equal,     Kind::distinct, Kind::lengths,
                                  Kind::empty_keys, Kind::long_keys, Kind::none};

/// The same records on every rank. Values have 0 to 20 bytes.
std::vector<Record> random_records(Kind kind, std::uint64_t seed);

/// Those of `all` that this rank maps. Some ranks get fewer than others, and the last one of several none.
std::vector<Record> share_of(const std::vector<Record>& all, const Communicator& comm);

/// Every combination of settings that must not change a result, small buffers so that all paths are taken.
std::vector<Options> all_options(bool combiner);

/// Settings in words, for messages.
std::string describe(const Options& options);

/// All ranks' results on every rank. Throws if two ranks have the same key.
Output collect(const Communicator& comm, const std::vector<Record>& own);

template <class R>
Output collect_result(const Communicator& comm, const R& result) {
    std::vector<Record> own;
    for (const auto& [key, value] : result) {
        own.emplace_back(std::string(key), value);
    }
    return collect(comm, own);
}

}  // namespace kvasir::test
