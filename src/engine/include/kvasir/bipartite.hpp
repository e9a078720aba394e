#pragma once
// Bipartite jobs: O ranks read their input and send records, A ranks receive them (roles.hpp). Blocks leave
// when they are full, while the map goes on. The parts of a job that a program puts together itself:
//
//   const Communicator world(MPI_COMM_WORLD);
//   const Roles roles(world, 0, 0, Placement::shared);
//   BipartiteState state(world, options);
//   SortedRecords received(state);
//   PackedExchange exchange(state, received);
//   try {
//       for (const Item& item : own_input) {                          // on O ranks
//           exchange.send(roles.process_of_a(part_of(item)), item.key, item.value);
//           exchange.poll();
//           if (state.stopped()) break;
//       }
//   } catch (...) {
//       state.fail();
//   }
//   exchange.finish();
//   state.together([&] { received.sort(); });                          // throws on all ranks if one failed
//   received.for_each([](std::string_view key, std::string_view value) { ... });     // in order
//
// PackedExchange sends each record as it is, for sorting or for a callable; CombiningExchange combines the
// values of equal keys before and after they are sent. Every process makes one, used by one thread.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kvasir/clock.hpp"
#include "kvasir/detail/block.hpp"
#include "kvasir/detail/by_fill.hpp"
#include "kvasir/detail/job_state.hpp"
#include "kvasir/detail/packed_block.hpp"
#include "kvasir/detail/radix_store.hpp"
#include "kvasir/detail/sort_store.hpp"
#include "kvasir/memory.hpp"
#include "kvasir/mpi.hpp"
#include "kvasir/options.hpp"
#include "kvasir/stats.hpp"

namespace kvasir {

template <class Receiver>
class PackedExchange;
template <class Value, class Combine>
class CombinedRecords;
template <class Value, class Combine, class ProcessOf>
class CombiningExchange;

/// Times, counts and failure of a bipartite job on one process.
class BipartiteState {
  public:
    /// Of `options`, the sizes of buffers and blocks are used (send_buffer, in_flight, combine_cache), and
    /// memory and spill. Throws Error when they make no sense for this many processes. Collective.
    BipartiteState(const Communicator& world, Options options)
        : options_(std::move(options)), world_(world), state_(world.get(), options_) {
        validate(options_, world.size());
    }
    BipartiteState(const BipartiteState&) = delete;
    BipartiteState& operator=(const BipartiteState&) = delete;

    PhaseClock& clock() { return state_.clock; }
    Counters& counters() { return state_.counters; }
    MemoryMeter& memory() { return state_.memory; }
    /// Gives a container of records the folder for what the budget of memory has no room for, if there is
    /// one. Throws JobError on all ranks if one cannot make its file. Collective.
    template <class Store>
    void let_spill(Store& store) {
        if (!options_.spill.empty()) {
            together([&] { store.spill_to(options_.spill); });
        }
    }

    /// Notes the exception that is being handled as the cause of this process's failure; the first one
    /// counts.
    void fail() { state_.fail(); }
    /// Whether to stop mapping: this process failed, or another one whose last message has come.
    bool stopped() const { return state_.stopped(); }

    /// Runs `action`; throws JobError on all ranks if it throws on any, or if any has failed before.
    /// Collective.
    template <class Action>
    void together(Action&& action) {
        try {
            action();
        } catch (...) {
            fail();
        }
        PhaseScope waiting(state_.clock, Phase::wait_barrier);
        agree_on_success(world_, state_.cause);
    }

  private:
    template <class Receiver>
    friend class PackedExchange;
    template <class Value, class Combine>
    friend class CombinedRecords;
    template <class Value, class Combine, class ProcessOf>
    friend class CombiningExchange;

    Options options_;
    const Communicator& world_;
    detail::JobState state_;
};

/// Received records, to be sorted by key, then value, byte by byte. With a budget of memory and a folder to
/// spill to, those that the budget has no room for are there. Throws Error.
class SortedRecords {
  public:
    /// Collective; throws JobError on all processes where one cannot make its file.
    explicit SortedRecords(BipartiteState& state) : store_(state.memory()) { state.let_spill(store_); }

    /// Adds a record of this process's own. Key and value are copied.
    void add(std::string_view key, std::string_view value) { store_.add(key, value); }
    void sort() { store_.sort(); }
    std::uint64_t size() const { return store_.size(); }
    /// Calls visit(key, value) for every record, in order once sort() has returned; any number of times. The
    /// views live during the call only.
    template <class Visit>
    void for_each(Visit&& visit) {
        store_.for_each([&](const detail::PackedRecord& record) { visit(record.key, record.value); });
    }
    Spilled spilled() const { return store_.spilled(); }

  private:
    template <class Receiver>
    friend class PackedExchange;

    detail::SortStore store_;
};

/// Sends records of byte strings, packed without gaps (two bytes more than key and value) and not combined.
/// `Receiver` is SortedRecords, or a callable receive(key, value) whose views live during the call only.
template <class Receiver>
class PackedExchange {
  public:
    PackedExchange(BipartiteState& state, Receiver& receiver)
        : counters_(state.counters()), store_{receiver}, transport_(state.state_, store_, false) {}

    /// Sends a record to a process. Key and value are copied.
    void send(int process, std::string_view key, std::string_view value) {
        ++counters_.emitted;
        transport_.append(process, key, value);
    }
    /// Receives the records that have arrived. To be called now and then while mapping.
    void poll() { transport_.poll(); }
    /// Sends the rest and receives until all processes have ended their map, or failed. Collective.
    void finish() { transport_.finish(); }

  private:
    struct Store {
        Receiver& receiver;

        std::uint64_t ingest(const std::uint64_t* data, std::size_t words) {
            if constexpr (std::is_same_v<Receiver, SortedRecords>) {
                return receiver.store_.ingest(data, words);
            } else {
                return detail::PackedBlock::for_each(
                    data, [this](const char* /*at*/, const detail::PackedRecord& record) {
                        receiver(record.key, record.value);
                    });
            }
        }
    };

    Counters& counters_;
    Store store_;
    detail::ByFill<detail::PackedBlock, Store> transport_;
};

/// Received keys, byte strings, each with the combination of its values. `Value` has a fixed size;
/// combine(a, b) must be associative and commutative. With a budget of memory and a folder to spill to,
/// records that the budget has no room for are there. Throws Error.
template <class Value, class Combine>
class CombinedRecords {
  public:
    /// Collective; throws JobError on all processes where one cannot make its file.
    explicit CombinedRecords(BipartiteState& state, Combine combine = {})
        : combine_(std::move(combine)), store_(state.memory(), combine_, true) {
        state.let_spill(store_);
    }
    CombinedRecords(const CombinedRecords&) = delete;
    CombinedRecords& operator=(const CombinedRecords&) = delete;

    /// Calls visit(key, value) once for each key, in no particular order, and drops it. Keys live during the
    /// call only.
    template <class Visit>
    void take_each(Visit&& visit) {
        for (std::size_t part = 0; part < Store::kPartitions; ++part) {
            store_.process_combined(part, [&](const detail::RecordPages& pages) {
                pages.for_each([&](const std::uint64_t* record) {
                    visit(Record::key(record), Record::value(record));
                    return Record::words(record);
                });
            });
        }
    }
    Spilled spilled() const { return store_.spilled(); }

  private:
    template <class, class, class>
    friend class CombiningExchange;
    using Record = detail::RecordTraits<std::string_view, Value>;
    using Store = detail::RadixStore<std::string_view, Value, Combine>;

    Combine combine_;
    Store store_;
};

/// Sends keys and values to where the key belongs, `process_of(key)`. Values of equal keys are combined in a
/// cache of `combine_cache` bytes first, and again where they are received.
template <class Value, class Combine, class ProcessOf>
class CombiningExchange {
  public:
    CombiningExchange(BipartiteState& state, CombinedRecords<Value, Combine>& received, ProcessOf process_of)
        : state_(state),
          combine_(received.combine_),
          process_of_(std::move(process_of)),
          memory_(state.memory(),
                  std::max<std::size_t>(state.options_.combine_cache / sizeof(std::uint64_t), kLeast)),
          cache_(state.memory()),
          transport_(state.state_, received.store_, false) {
        cache_.attach(memory_.data(), memory_.words());
    }

    /// Sends a value of `key`. Both are copied. `Text` is std::string_view, or PaddedView, which is faster.
    template <class Text>
    void send(const Text& key, const Value& value) {
        ++state_.counters().emitted;
        const detail::KeyCode code = Key::encode(key);
        detail::Put put = cache_.combine(code, value, combine_);
        if (put == detail::Put::full) [[unlikely]] {
            flush();
            put = cache_.combine(code, value, combine_);
            if (put == detail::Put::full) {
                transport_.oversize(process_of_(std::string_view(key)), code, value);
            }
        }
        state_.counters().combined_before += static_cast<std::uint64_t>(put == detail::Put::combined);
    }

    /// Empties the cache into the blocks that are sent. finish() does so as well.
    void flush() {
        for (const std::uint64_t* at = cache_.data(); at != cache_.data() + cache_.used();
             at += Record::words(at)) {
            transport_.append(process_of_(Record::key(at)),
                              Key::recode(Record::hash(at), Record::key_zone(at)), Record::value(at));
        }
        cache_.clear();
    }
    /// Receives the records that have arrived. To be called now and then while mapping.
    void poll() { transport_.poll(); }
    /// Sends the rest and receives until all processes have ended their map, or failed. Collective.
    void finish() {
        if (!state_.stopped()) {
            try {
                flush();
            } catch (...) {
                state_.fail();
            }
        }
        transport_.finish();
    }

  private:
    using Key = detail::KeyTraits<std::string_view>;
    using Record = detail::RecordTraits<std::string_view, Value>;
    using Records = detail::Block<std::string_view, Value>;
    static constexpr std::size_t kLeast = 64;  // words

    BipartiteState& state_;
    Combine& combine_;
    ProcessOf process_of_;
    WordBuffer memory_;
    Records cache_;
    detail::ByFill<Records, typename CombinedRecords<Value, Combine>::Store> transport_;
};

}  // namespace kvasir
