#pragma once
// Emitter passed to map functions: appends records to the blocks that they are sent from, combined with
// records of equal key there.

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "kvasir/callables.hpp"
#include "kvasir/detail/block.hpp"
#include "kvasir/detail/hot_table.hpp"
#include "kvasir/detail/job_state.hpp"
#include "kvasir/error.hpp"

namespace kvasir::detail {

/// Decides from the hit rate whether to look for equal keys. The rate is taken over windows that are longer
/// than the table needs to fill, since an empty table finds nothing.
class CombineSwitch {
  public:
    CombineSwitch(bool enabled, std::size_t table_records)
        : enabled_(enabled), window_(4 * (table_records + 4096)), left_(window_) {}

    bool on() const { return on_; }

    void note(bool combined) {
        hits_ += static_cast<std::uint64_t>(combined);
        if (--left_ == 0) [[unlikely]] {
            decide();
        }
    }

  private:
    static constexpr std::uint64_t kWorthwhile = 8;  ///< at least one hit among so many
    static constexpr std::uint64_t kPause = 8;       ///< windows without a look

    void decide() {
        if (on_) {
            on_ = !enabled_ || hits_ * kWorthwhile >= window_;
            left_ = on_ ? window_ : window_ * kPause;
        } else {
            on_ = true;
            left_ = window_;
        }
        hits_ = 0;
    }

    bool enabled_;
    bool on_ = true;
    std::uint64_t window_;
    std::uint64_t left_;
    std::uint64_t hits_ = 0;
};

/// Exchanges that take records as values of lists.
template <class Transport, class Value>
concept TakesLists = requires(Transport& transport, const KeyCode& key, const Value& value) {
    { transport.listing() } -> std::same_as<bool>;
    { transport.list(key, value) } -> std::same_as<bool>;
};

/// Exchanges that decide themselves whether to look for equal keys.
template <class Transport>
concept ChoosesCombining = requires(Transport& transport) {
    { transport.combining() } -> std::same_as<bool>;
    transport.note(true);
    transport.stay_small();
};

template <class Key, class Value, class Combine, class Transport, bool kCombining>
class Emitter {
    using R = RecordTraits<Key, Value>;

  public:
    Emitter(JobState& job, Transport& transport, Combine& combiner)
        : job_(job),
          transport_(transport),
          combiner_(combiner),
          switch_(job.options.combine_switch, table_records(job, transport)),
          hot_(job.memory, hot_bytes(job.options)),
          hot_on_(hot_.usable()) {}

    /// Emits a record. Key and value are copied; they need not live on.
    template <class AnyKey>
    void operator()(const AnyKey& key, const Value& value) {
        if constexpr (std::is_convertible_v<const AnyKey&, Key>) {
            put(encode(key), value);
        } else {
            put(encode(static_cast<Key>(key)), value);
        }
        ++job_.counters.emitted;
    }

    /// Appends a record with an encoded key, or combines it.
    void put(const KeyCode& key, const Value& value) {
        if constexpr (kHot) {
            if (hot_on_ && key.tail == nullptr) {
                hot_.add(key, value, combiner_, to_block());
                return;
            }
        }
        put_in_block(key, value);
    }

    /// Checks, between slices of input, whether look-ups have come to miss the cache, and whether the table
    /// of frequent keys is worth its time.
    void poll() {
        if constexpr (kHot) {
            if (hot_.worn()) {
                transport_.stay_small();
                refilling_ = true;
                flush_hot();
                refilling_ = false;
            }
            count_hot();
            weigh_hot();
        }
        if constexpr (kQueueing) {
            std::size_t bytes = 0;
            for (int rank = 0; rank < job_.comm.size(); ++rank) {
                bytes += transport_.block(rank).index_bytes();
            }
            if (queueing_ && bytes < kCached) {
                flush_queue();
            }
            queueing_ = bytes >= kCached;
        }
    }

    /// Appends the records that are still held here. Called after the last record.
    void flush() {
        flush_queue();
        if constexpr (kHot) {
            transport_.end_of_map();
            queueing_ = false;  // what is left is not looked for
            flush_hot();
        }
    }

  private:
    // Records of short keys may be combined in a table of their own first; those of other keys go on to the
    // blocks.
    static constexpr bool kHot = kCombining && ChoosesCombining<Transport> && kFitsHotTable<Key, Value>;
    static constexpr std::uint64_t kHotWindow = 1U << 15U;  ///< records after which the hits are looked at
    static constexpr std::uint64_t kHotPause =
        32;  ///< times the records that a trial took until the next one

    struct Nothing {
        Nothing(MemoryMeter& /*meter*/, std::size_t /*most*/) {}
        static bool usable() { return false; }
    };

    /// Returns how large the table of frequent keys may become; 0 where every record is logged, by its block.
    static std::size_t hot_bytes(const Options& options) {
        const std::size_t most = options.events ? 0 : options.send_buffer / 2 * 3;
        return options.memory == 0 ? most : std::min(most, options.memory / 32);
    }

    auto to_block() {
        return [this](const KeyCode& key, const Value& value) { put_in_block(key, value); };
    }

    /// Counts what the table has combined since the last time.
    void count_hot() {
        const std::uint64_t hits = hot_.combined() - hot_combined_;
        hot_combined_ += hits;
        hot_hits_ += hits;
        job_.counters.combine_tries += hits;
        job_.counters.combined_before += hits;
    }

    /// Turns the table off for a while if it is full and combines too few records, and on again.
    void weigh_hot() {
        const std::uint64_t records = job_.counters.emitted - hot_since_;
        if (records < (hot_on_ ? kHotWindow : hot_pause_)) {
            return;
        }
        if (!hot_on_) {
            hot_on_ = hot_.usable();
            hot_began_ = job_.counters.emitted;
        } else if (hot_.full() && (records - std::min(hot_hits_, records)) * 8 > records) {
            flush_hot();
            hot_.release();
            hot_on_ = false;
            hot_pause_ = kHotPause * (job_.counters.emitted - hot_began_);
        }
        hot_hits_ = 0;
        hot_since_ = job_.counters.emitted;
    }

    void flush_hot() {
        hot_.settle(combiner_, to_block());
        count_hot();
        appending_ = true;  // no two of them have the same key
        hot_.clear(to_block());
        flush_queue();
        appending_ = false;
    }

    void put_in_block(const KeyCode& key, const Value& value) {
        if constexpr (!kCombining && TakesLists<Transport, Value>) {
            if (transport_.listing() && key.tail == nullptr && transport_.list(key, value)) {
                return;
            }
        }
        const int rank = job_.router.route(key.hash);
        if constexpr (kQueueing) {
            if (queueing_ && key.tail_bytes <= kTail) {
                enqueue(rank, key, value);
                return;
            }
        }
        put_now(rank, key, value);
    }

    void flush_queue() {
        if constexpr (kQueueing) {
            for (std::size_t left = std::min<std::size_t>(queued_, kQueue); left != 0; --left) {
                take((queued_ - left) % kQueue);
            }
            queued_ = 0;
        }
    }

    // While the tables are larger than the cache, records wait in a short queue, so that the memory they will
    // need is on its way before they get there: first the index, half a queue later the record.
    static constexpr bool kQueueing = kCombining && ValueTraits<Value>::kFixed && sizeof(Value) <= 16;
    static constexpr std::size_t kQueue = 32;
    static constexpr std::size_t kCached = 256U << 10U;

    static constexpr std::size_t kTail = 64;  ///< bytes of the tail of a key that may wait

    struct Waiting {
        std::uint64_t first;
        std::uint64_t second;
        std::uint64_t hash;
        Value value;
        std::uint32_t words;
        std::uint32_t tail_bytes;
        int rank;
    };
    using Tail = std::array<char, kTail>;

    void enqueue(int rank, const KeyCode& key, const Value& value) {
        const std::size_t at = queued_ % kQueue;
        if (queued_ >= kQueue) {
            take(at);
            const Waiting& middle = queue_[(queued_ + kQueue / 2) % kQueue];
            transport_.block(middle.rank).prefetch_record(middle.hash);
        }
        queue_[at] = {key.first,
                      key.second,
                      key.hash,
                      value,
                      static_cast<std::uint32_t>(key.words),
                      static_cast<std::uint32_t>(key.tail_bytes),
                      rank};
        if (key.tail != nullptr) {
            std::memcpy(tails_[at].data(), key.tail, key.tail_bytes);
        }
        transport_.block(rank).prefetch_index(key.hash);
        ++queued_;
    }

    void take(std::size_t at) {
        const Waiting& waiting = queue_[at];
        KeyCode key;
        key.first = waiting.first;
        key.second = waiting.second;
        key.hash = waiting.hash;
        key.words = waiting.words;
        key.tail_bytes = waiting.tail_bytes;
        key.tail = waiting.tail_bytes != 0 ? tails_[at].data() : nullptr;
        put_now(waiting.rank, key, Value(waiting.value));
    }

    void put_now(int rank, const KeyCode& key, const Value& value) {
        auto& block = transport_.block(rank);
        if constexpr (kCombining) {
            job_.counters.combine_tries += static_cast<std::uint64_t>(looking());
        }
        Put result = try_put(block, key, value);
        if (result == Put::full) [[unlikely]] {
            result = make_room(rank, key, value);
        }
        if constexpr (kCombining) {
            if (!refilling_) {
                note(result == Put::combined);
            }
            job_.counters.combined_before += static_cast<std::uint64_t>(result == Put::combined);
        }
        if (job_.router.balanced() && result == Put::appended) [[unlikely]] {
            job_.router.count(key.hash);
        }
        if (job_.options.events) [[unlikely]] {
            log(rank, result);
        }
    }

    /// Whether to look for equal keys.
    bool looking() const {
        if constexpr (ChoosesCombining<Transport>) {
            return transport_.combining();
        } else {
            return switch_.on();
        }
    }
    void note(bool combined) {
        if constexpr (ChoosesCombining<Transport>) {
            transport_.note(combined);
        } else {
            switch_.note(combined);
        }
    }

    static KeyCode encode(const Key& key) { return KeyTraits<Key>::encode(key); }
    template <class Text>
    requires(std::is_same_v<Key, std::string_view>&& std::is_same_v<Text, PaddedView>) static KeyCode
        encode(const Text& key) {
        return KeyTraits<Key>::encode(key);
    }

    static std::size_t table_records(const JobState& job, Transport& transport) {
        constexpr std::size_t words_of_short_record = 3;
        return transport.block(0).capacity() / words_of_short_record *
               static_cast<std::size_t>(job.comm.size());
    }

    Put try_put(Block<Key, Value>& block, const KeyCode& key, const Value& value) {
        if constexpr (kCombining) {
            if (looking() && !appending_) {
                return block.combine(key, value, combiner_);
            }
        }
        return block.append(key, value);
    }

    [[gnu::noinline]] Put make_room(int rank, const KeyCode& key, const Value& value) {
        if (R::words_of(key, value) > transport_.block(rank).capacity()) {
            transport_.oversize(rank, key, value);
            return Put::appended;
        }
        transport_.full(rank);
        const Put result = try_put(transport_.block(rank), key, value);
        if (result == Put::full) {  // the block that has been opened is a smaller one
            transport_.oversize(rank, key, value);
            return Put::appended;
        }
        return result;
    }

    [[gnu::noinline]] void log(int rank, Put result) {
        constexpr std::size_t most_events = 1'000'000;
        if (job_.events.size() >= most_events) {
            throw Error("event log: more than 1000000 events; it is meant for inputs of a few words");
        }
        const auto& block = transport_.block(rank);
        job_.events.push_back({job_.counters.emitted, rank, block.records(), block.used() * 8,
                               block.capacity() * 8,
                               result == Put::combined ? Event::Kind::combine : Event::Kind::put});
    }

    JobState& job_;
    Transport& transport_;
    Combine& combiner_;
    CombineSwitch switch_;
    std::conditional_t<kHot, HotTable<Key, Value>, Nothing> hot_;
    bool hot_on_;
    bool appending_ = false;          ///< without looking for equal keys
    bool refilling_ = false;          ///< appending what the table of frequent keys had no room for any more
    std::uint64_t hot_combined_ = 0;  ///< records that the table had combined when they were last counted
    std::uint64_t hot_hits_ = 0;      ///< since `hot_since_`
    std::uint64_t hot_since_ = 0;     ///< records emitted when the table was last weighed
    std::uint64_t hot_began_ = 0;     ///< records emitted when it was last turned on
    std::uint64_t hot_pause_ = 0;     ///< records until it is tried again
    std::array<Waiting, kQueueing ? kQueue : 1> queue_;
    std::array<Tail, kQueueing ? kQueue : 1> tails_;  ///< of the keys in `queue_` that have one
    std::size_t queued_ = 0;
    bool queueing_ = false;
};

}  // namespace kvasir::detail
