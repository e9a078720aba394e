#pragma once
// The first few keys of a result, by any order of keys and values.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kvasir/mpi.hpp"
#include "kvasir/report.hpp"
#include "kvasir/result.hpp"

namespace kvasir {

/// Key of a result with its value; keys that are byte strings are copied.
template <class Key, class Value>
struct TopEntry {
    std::conditional_t<std::is_same_v<Key, std::string_view>, std::string, Key> key;
    Value value;
};

/// Returns the first `most` entries of all ranks by `before(a, b)`, a strict order of TopEntry, on rank 0;
/// nothing elsewhere. Each rank sorts out its own `most` first, so that no more than these are sent. Values
/// must be of a fixed size. Collective.
template <class Key, class Value, class Before>
std::vector<TopEntry<Key, Value>> top(const Communicator& comm, const Result<Key, Value>& result,
                                      std::size_t most, Before&& before) {
    static_assert(std::is_trivially_copyable_v<Value>, "values are sent as their bytes");
    using Entry = TopEntry<Key, Value>;
    std::vector<Entry> entries;
    const auto keep = [&] {
        const std::size_t kept = std::min(most, entries.size());
        std::partial_sort(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(kept), entries.end(),
                          before);
        entries.resize(kept);
    };
    constexpr std::size_t enough = 4096;
    for (const auto& [key, value] : result) {
        entries.push_back({decltype(Entry::key)(key), value});
        if (entries.size() / 2 >= most && entries.size() >= enough + most) {
            keep();
        }
    }
    keep();

    std::string packed;
    const auto pack = [&](const void* from, std::size_t bytes) {
        packed.append(static_cast<const char*>(from), bytes);
    };
    for (const Entry& entry : entries) {
        if constexpr (std::is_same_v<Key, std::string_view>) {
            const std::size_t bytes = entry.key.size();
            pack(&bytes, sizeof(bytes));
            packed += entry.key;
        } else {
            pack(&entry.key, sizeof(Key));
        }
        pack(&entry.value, sizeof(Value));
    }
    entries.clear();
    for (const std::string& text : gather_texts(comm, packed)) {
        const char* at = text.data();
        const auto unpack = [&](void* to, std::size_t bytes) {
            std::memcpy(to, at, bytes);
            at += bytes;
        };
        while (at != text.data() + text.size()) {
            Entry entry{};
            if constexpr (std::is_same_v<Key, std::string_view>) {
                std::size_t bytes = 0;
                unpack(&bytes, sizeof(bytes));
                entry.key.assign(at, bytes);
                at += bytes;
            } else {
                unpack(&entry.key, sizeof(Key));
            }
            unpack(&entry.value, sizeof(Value));
            entries.push_back(std::move(entry));
        }
    }
    keep();
    return entries;
}

/// The same by value, largest first; equal ones in the order of their keys. Collective.
template <class Key, class Value>
std::vector<TopEntry<Key, Value>> top(const Communicator& comm, const Result<Key, Value>& result,
                                      std::size_t most) {
    using Entry = TopEntry<Key, Value>;
    return top(comm, result, most, [](const Entry& a, const Entry& b) {
        return a.value != b.value ? a.value > b.value : a.key < b.key;
    });
}

}  // namespace kvasir
