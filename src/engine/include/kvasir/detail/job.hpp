#pragma once
// Phases of a job on one rank: map with exchange, a synchronisation of all ranks, convert with reduce.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "kvasir/callables.hpp"
#include "kvasir/detail/adaptive.hpp"
#include "kvasir/detail/balancer.hpp"
#include "kvasir/detail/by_fill.hpp"
#include "kvasir/detail/emitter.hpp"
#include "kvasir/detail/grouper.hpp"
#include "kvasir/detail/job_state.hpp"
#include "kvasir/detail/local_emitter.hpp"
#include "kvasir/detail/partition_full.hpp"
#include "kvasir/detail/radix_store.hpp"
#include "kvasir/detail/rebalance.hpp"
#include "kvasir/detail/takes_values.hpp"
#include "kvasir/result.hpp"

namespace kvasir::detail {

template <class Key, class Value, class Combine>
class Job {
    using R = RecordTraits<Key, Value>;
    using Store = RadixStore<Key, Value, Combine>;
    static constexpr bool kHasCombiner = !std::is_same_v<Combine, NoCombine>;

  public:
    Job(MPI_Comm parent, Combine& combiner, const Options& options)
        : state_(parent, options),
          combiner_(combiner),
          store_(state_.memory, combiner,
                 combines(CombineWhere::after) && options.pipeline == Pipeline::pipelined) {
        validate(options, state_.comm.size());
        if (state_.router.balanced()) {
            balancer_.emplace(parent, state_.router, options);
        }
    }

    JobState& state() { return state_; }

    /// Maps and aggregates, up to and including the synchronisation that ends both.
    template <class Input, class Map>
    void map_aggregate(const Input& input, Map& map, bool merging) {
        switch (state_.options.strategy) {
            case Strategy::partition_full:
                with_transport<PartitionFull<Key, Value, Store>>(input, map);
                break;
            case Strategy::by_fill:
                with_transport<ByFill<Block<Key, Value>, Store>>(input, map);
                break;
            case Strategy::adaptive:
                with_transport<Adaptive<Key, Value, Store>>(input, map);
                break;
        }
        if (balancer_) {
            balancer_->finish();
        }
        synchronise();
        state_.counters.held = state_.counters.received;
        state_.counters.split_keys = state_.router.splits();
        if (state_.router.changed()) {
            send_home(merging);
        }
        mapped_ = PhaseClock::monotonic();
        state_.counters.combined_after = store_.combined();
    }

    /// Converts and reduces.
    template <class Out, class Reduce>
    void convert_reduce(Reduce& reduce, Result<Key, Out>& result) {
        try {
            if (state_.options.pipeline == Pipeline::staged) {
                staged_convert_reduce(reduce, result);
            } else {
                PhaseScope phase(state_.clock, Phase::convert);
                if (combines(CombineWhere::after)) {
                    reduce_combined(reduce, result);
                } else {
                    group_and_reduce(reduce, result);
                }
            }
        } catch (const JobError&) {
            throw;  // all ranks know
        } catch (...) {
            state_.fail();
        }
        state_.counters.combined_after = store_.combined();
    }

    /// Waits for all ranks, which all throw the same JobError if one failed. Returns the statistics of this
    /// rank.
    RankStats finish() {
        state_.clock.enter(Phase::other);
        const double cpu_end = process_cpu_seconds();
        agree_on_success(state_.comm, state_.cause);
        RankStats stats;
        stats.counters = state_.counters;
        stats.clock = state_.clock;
        stats.kv_bytes_peak = state_.memory.peak();
        stats.spilled = store_.spilled();
        stats.start = state_.clock.began();
        stats.mapped = mapped_;
        stats.end = state_.clock.entered();
        stats.cpu_start = cpu_start_;
        stats.cpu_end = cpu_end;
        stats.events = std::move(state_.events);
        ask_system(stats);
        return stats;
    }

  private:
    bool combines(CombineWhere where) const {
        return kHasCombiner &&
               (state_.options.combine == where || state_.options.combine == CombineWhere::both);
    }

    /// Whether records may be grouped while they arrive: not where a phase of its own does it, where records
    /// can still move to another rank, or where memory has a budget.
    bool groups_on_arrival() const {
        return state_.options.strategy == Strategy::adaptive &&
               state_.options.pipeline == Pipeline::pipelined && !combines(CombineWhere::after) &&
               !state_.router.balanced() && !state_.memory.has_budget();
    }

    template <class Transport, class Input, class Map>
    void with_transport(const Input& input, Map& map) {
        if constexpr (kHasCombiner) {
            if (combines(CombineWhere::before)) {
                run<Transport, true>(input, map);
                return;
            }
        }
        run<Transport, false>(input, map);
    }

    template <class Transport, bool kCombining, class Input, class Map>
    void run(const Input& input, Map& map) {
        auto reader = input.open(state_.comm, state_.options);
        std::optional<Transport> transport;
        try {
            if (!state_.options.spill.empty()) {
                store_.spill_to(state_.options.spill);
            } else if (groups_on_arrival()) {
                store_.group_on_arrival();
            }
            transport.emplace(state_, store_, kCombining);
        } catch (...) {
            state_.fail();
        }
        begin();
        Emitter<Key, Value, Combine, Transport, kCombining> emit(state_, *transport, combiner_);
        if (state_.options.pipeline == Pipeline::staged) {
            RecordPages mapped;
            LocalEmitter<Key, Value> local(state_, mapped);
            map_all(reader, map, local, [] {});
            synchronise();
            PhaseScope phase(state_.clock, Phase::aggregate);
            send_all(mapped, emit, *transport);
        } else {
            map_all(reader, map, emit, [&] { poll(*transport, emit); });
            end_exchange(*transport, emit);
        }
    }

    /// Starts the job's clock once all ranks are ready.
    void begin() {
        agree_on_success(state_.comm, state_.cause);
        state_.clock = PhaseClock();
        cpu_start_ = process_cpu_seconds();
    }

    template <class Reader, class Map, class Emit, class Poll>
    void map_all(Reader& reader, Map& map, Emit& emit, Poll&& poll) {
        try {
            const auto sink = [&](const auto& record) { map(record, emit); };
            while (!state_.stopped() && reader.next(state_.clock, state_.counters, sink)) {
                poll();
            }
        } catch (...) {
            state_.fail();
        }
    }

    template <class Transport, class Emit>
    void poll(Transport& transport, Emit& emit) {
        transport.poll();
        emit.poll();
        if (balancer_) {
            balancer_->poll(state_.counters.emitted - state_.counters.combined_before);
        }
    }

    template <class Transport, class Emit>
    void end_exchange(Transport& transport, Emit& emit) {
        if (!state_.stopped()) {
            try {
                emit.flush();
            } catch (...) {
                state_.fail();
            }
        }
        if (balancer_) {
            balancer_->end_of_map();
        }
        transport.finish();
    }

    /// Sends what a staged map left in its container.
    template <class Emit, class Transport>
    void send_all(const RecordPages& mapped, Emit& emit, Transport& transport) {
        try {
            std::uint64_t sent = 0;
            mapped.for_each([&](const std::uint64_t* record) {
                const std::size_t words = R::words(record);
                if (!state_.stopped()) {
                    emit.put(KeyTraits<Key>::recode(R::hash(record), R::key_zone(record)), R::value(record));
                    if (++sent % kSentBetweenPolls == 0) {
                        poll(transport, emit);
                    }
                }
                return words;
            });
        } catch (...) {
            state_.fail();
        }
        end_exchange(transport, emit);
    }

    /// Synchronises all ranks: each has received all its records, or all throw.
    void synchronise() {
        PhaseScope waiting(state_.clock, Phase::wait_barrier);
        ++state_.counters.barriers;
        agree_on_success(state_.comm, state_.cause);
    }

    void send_home(bool merging) {
        if (merging && !kHasCombiner && state_.router.splits() != 0) {
            throw Error(
                "balance split: keys can only be split where the job has a combiner to merge their parts");
        }
        PhaseScope phase(state_.clock, Phase::aggregate);
        try {
            rebalance(state_, store_, combiner_, merging);
        } catch (...) {
            abort_job(state_.comm, "repartition: " + state_.text_of_exception());
        }
    }

    /// Reduces a key; `record` need only be the begin of one. `values` is a span, or Values.
    template <class Out, class Reduce, class Some>
    void reduce_one(const std::uint64_t* record, const Some& values, Reduce& reduce,
                    Result<Key, Out>& result) {
        ++state_.counters.keys;
        state_.counters.values += values.size();
        if constexpr (std::is_void_v<Out>) {
            reduce(R::key(record), values);
            result.add(R::key_zone(record), {});
        } else {
            result.add(R::key_zone(record), reduce(R::key(record), values));
        }
    }

    template <class Out, class Reduce>
    void reduce_combined(Reduce& reduce, Result<Key, Out>& result) {
        for (std::size_t part = 0; part < Store::kPartitions; ++part) {
            store_.process_combined(part, [&](const RecordPages& pages) {
                PhaseScope phase(state_.clock, Phase::reduce);
                pages.for_each([&](const std::uint64_t* record) {
                    const Value value = R::value(record);
                    reduce_one(record, std::span<const Value>(&value, 1), reduce, result);
                    return R::words(record);
                });
            });
        }
    }

    template <class Out, class Reduce>
    void group_and_reduce(Reduce& reduce, Result<Key, Out>& result) {
        std::optional<Grouper<Key, Value>> grouper;
        const auto convert = [&](const RecordPages& pages) {
            if (!grouper) {
                grouper.emplace(state_.memory);
            }
            try {
                grouper->group(pages);
            } catch (...) {
                grouper.reset();
                throw;
            }
        };
        const auto reduce_all = [&](const RecordPages& /*pages*/) {
            reduce_groups(*grouper, reduce, result);
            if (state_.memory.has_budget()) {
                grouper.reset();  // the next records may need its room
            }
        };
        reduce_lists(reduce, result);
        for (std::size_t part = 0; part < Store::kPartitions; ++part) {
            if constexpr (takes_values<std::remove_cvref_t<Reduce>, Value>()) {
                store_.process(part, convert, reduce_all,
                               [&](const std::uint64_t* record, const Values<Value>& values) {
                                   grouper.reset();
                                   PhaseScope phase(state_.clock, Phase::reduce);
                                   reduce_one(record, values, reduce, result);
                               });
            } else {
                store_.process(part, convert, reduce_all);
            }
        }
    }

    /// Reduces the keys that were grouped while they arrived.
    template <class Out, class Reduce>
    void reduce_lists(Reduce& reduce, Result<Key, Out>& result) {
        PhaseScope phase(state_.clock, Phase::reduce);
        MeteredVector<Value> all{MeteredAllocator<Value>(state_.memory)};
        store_.for_each_list([&](const std::uint64_t* record, const Values<Value>& values) {
            if constexpr (takes_values<std::remove_cvref_t<Reduce>, Value>()) {
                reduce_one(record, values, reduce, result);
            } else {
                all.clear();
                values.for_each([&](const Value& value) { all.push_back(value); });
                reduce_one(record, std::span<const Value>(all), reduce, result);
            }
        });
    }

    template <class Out, class Reduce>
    void reduce_groups(const Grouper<Key, Value>& grouper, Reduce& reduce, Result<Key, Out>& result) {
        PhaseScope phase(state_.clock, Phase::reduce);
        grouper.for_each([&](const std::uint64_t* record, std::span<const Value> values) {
            reduce_one(record, values, reduce, result);
        });
    }

    /// Runs staged: all of convert, a barrier, all of reduce. Containers live until the phase after ends.
    template <class Out, class Reduce>
    void staged_convert_reduce(Reduce& reduce, Result<Key, Out>& result) {
        std::vector<Grouper<Key, Value>> lists;
        try {
            PhaseScope phase(state_.clock, Phase::convert);
            for (std::size_t part = 0; part < Store::kPartitions; ++part) {
                if (combines(CombineWhere::after)) {
                    store_.combine_partition(part);
                }
                lists.emplace_back(state_.memory);
                lists.back().group(store_.partition(part));
                lists.back().end_grouping();
            }
        } catch (...) {
            state_.fail();
        }
        synchronise();
        for (const Grouper<Key, Value>& list : lists) {
            reduce_groups(list, reduce, result);
        }
    }

    static constexpr std::uint64_t kSentBetweenPolls = 16384;

    JobState state_;
    Combine& combiner_;
    Store store_;
    std::optional<Balancer> balancer_;
    double mapped_ = 0;
    double cpu_start_ = 0;
};

}  // namespace kvasir::detail
