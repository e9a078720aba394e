#pragma once
// Emitter passed to map functions in a staged job: appends records to a container of this rank.

#include "kvasir/detail/job_state.hpp"
#include "kvasir/detail/radix_store.hpp"
#include "kvasir/detail/record.hpp"

namespace kvasir::detail {

template <class Key, class Value>
class LocalEmitter {
    using R = RecordTraits<Key, Value>;

  public:
    LocalEmitter(JobState& job, RecordPages& pages) : job_(job), pages_(pages) {}

    /// Emits a record. Key and value are copied; they need not live on.
    template <class AnyKey>
    void operator()(const AnyKey& key, const Value& value) {
        if constexpr (std::is_same_v<AnyKey, PaddedView> && std::is_same_v<Key, std::string_view>) {
            put(KeyTraits<Key>::encode(key), value);
        } else {
            put(KeyTraits<Key>::encode(static_cast<const Key&>(key)), value);
        }
        ++job_.counters.emitted;
    }

  private:
    void put(const KeyCode& key, const Value& value) {
        R::write(key, value, pages_.extend(job_.memory, R::words_of(key, value)));
    }

    JobState& job_;
    RecordPages& pages_;
};

}  // namespace kvasir::detail
