#pragma once
// Convert: the records of one radix partition become lists of values, one list per key.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kvasir/detail/radix_store.hpp"
#include "kvasir/detail/record.hpp"
#include "kvasir/memory.hpp"

namespace kvasir::detail {

/// Groups the values of equal keys. First every record learns its group and groups are counted, then the
/// values are laid side by side. Keys (and byte-string values) stay where the records are.
template <class Key, class Value>
class Grouper {
    using R = RecordTraits<Key, Value>;

  public:
    explicit Grouper(MemoryMeter& meter)
        : index_(MeteredAllocator<std::uint64_t>(meter)),
          groups_(MeteredAllocator<Group>(meter)),
          group_of_(MeteredAllocator<std::uint32_t>(meter)),
          values_(MeteredAllocator<Value>(meter)) {}

    /// Groups all records of `pages`, which must outlive the use of the groups.
    void group(const RecordPages& pages) {
        groups_.clear();
        group_of_.clear();
        index_.assign(std::max<std::size_t>(index_.size(), 256), 0);
        pages.for_each([&](const std::uint64_t* record) {
            const std::uint32_t group = find(record);
            ++groups_[group].end;
            group_of_.push_back(group);
            return R::words(record);
        });
        std::uint64_t begin = 0;
        for (Group& group : groups_) {
            const std::uint64_t count = group.end;
            group.end = begin;
            begin += count;
        }
        values_.resize(begin);
        std::size_t next = 0;
        pages.for_each([&](const std::uint64_t* record) {
            values_[groups_[group_of_[next++]].end++] = R::value(record);
            return R::words(record);
        });
    }

    /// Frees what only grouping needs; groups and values stay.
    void end_grouping() {
        index_ = MeteredVector<std::uint64_t>(index_.get_allocator());
        group_of_ = MeteredVector<std::uint32_t>(group_of_.get_allocator());
    }

    /// Calls visit(record, values) for every key; `record` is the first record of the key.
    template <class Visit>
    void for_each(Visit&& visit) const {
        std::uint64_t begin = 0;
        for (const Group& group : groups_) {
            visit(group.record, std::span<const Value>(values_.data() + begin, group.end - begin));
            begin = group.end;
        }
    }

  private:
    struct Group {
        const std::uint64_t* record;
        std::uint64_t end;  ///< first the number of values, then where the next value goes, at last their end
    };

    std::uint32_t find(const std::uint64_t* record) {
        constexpr std::uint64_t tag_mask = 0xffffffff00000000ULL;
        const std::uint64_t hash = R::hash(record);
        const std::uint64_t tag = hash & tag_mask;
        const std::size_t mask = index_.size() - 1;
        std::size_t slot = hash & mask;
        for (; index_[slot] != 0; slot = (slot + 1) & mask) {
            if ((index_[slot] & tag_mask) == tag) {
                const auto group = static_cast<std::uint32_t>(index_[slot] - 1);
                const KeyCode key = KeyTraits<Key>::recode(hash, R::key_zone(record));
                if (KeyTraits<Key>::equal(key, R::key_zone(groups_[group].record))) {
                    return group;
                }
            }
        }
        const auto group = static_cast<std::uint32_t>(groups_.size());
        index_[slot] = tag | (group + std::uint64_t{1});
        groups_.push_back({record, 0});
        if (groups_.size() * 2 > index_.size()) {
            grow_index();
        }
        return group;
    }

    void grow_index() {
        constexpr std::uint64_t tag_mask = 0xffffffff00000000ULL;
        index_.assign(2 * index_.size(), 0);
        const std::size_t mask = index_.size() - 1;
        for (std::size_t group = 0; group < groups_.size(); ++group) {
            const std::uint64_t hash = R::hash(groups_[group].record);
            std::size_t slot = hash & mask;
            while (index_[slot] != 0) {
                slot = (slot + 1) & mask;
            }
            index_[slot] = (hash & tag_mask) | (group + 1);
        }
    }

    MeteredVector<std::uint64_t> index_;
    MeteredVector<Group> groups_;
    MeteredVector<std::uint32_t> group_of_;
    MeteredVector<Value> values_;
};

}  // namespace kvasir::detail
