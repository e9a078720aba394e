#include "kvasir/report.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "kvasir/atomic_file.hpp"
#include "kvasir/error.hpp"
#include "kvasir/wait.hpp"
#include "metrics.hpp"

namespace kvasir {
namespace {

using Json = nlohmann::ordered_json;

Json spent(const PhaseClock& clock, Phase phase) {
    return {{"wall_s", clock.spent(phase).wall}, {"cpu_s", clock.spent(phase).cpu}};
}

Json rank_json(int rank, const ReportHead& head, const RankStats& stats) {
    std::array<char, 256> host{};
    (void)gethostname(host.data(), host.size() - 1);
    const Counters& c = stats.counters;
    Json phases;
    for (const auto& [name, phase] : phase_names()) {
        phases[name] = spent(stats.clock, phase);
    }
    Json out = {{"rank", rank}, {"host", host.data()}, {"pid", getpid()}};
    out["time"] = {{"start_monotonic_s", stats.start},
                   {"map_aggregate_s", stats.mapped - stats.start},
                   {"convert_reduce_s", stats.end - stats.mapped},
                   {"runtime_s", stats.end - stats.start},
                   {"cpu_s", stats.cpu_end - stats.cpu_start}};
    out["phases"] = phases;
    out["overlap"] = {{"map_aggregate_s", stats.clock.overlap(Phase::map, Phase::aggregate)},
                      {"convert_reduce_s", stats.clock.overlap(Phase::convert, Phase::reduce)}};
    out["input"] = {{"bytes", c.input_bytes}, {"chunks", c.input_chunks}};
    out["records"] = {{"emitted", c.emitted},
                      {"combined_before", c.combined_before},
                      {"combine_tries", c.combine_tries},
                      {"sent", c.sent},
                      {"received", c.received},
                      {"moved", c.moved},
                      {"held", c.held},
                      {"combined_after", c.combined_after},
                      {"values_reduced", c.values},
                      {"keys", c.keys},
                      {"oversize", c.oversize},
                      {"split_keys", c.split_keys}};
    out["bytes"] = {
        {"sent", c.sent_bytes}, {"sent_to_others", c.sent_elsewhere_bytes}, {"received", c.received_bytes}};
    out["exchange"] = {{"rounds", c.rounds},
                       {"rounds_during_map", c.rounds_during_map},
                       {"alltoallv", c.alltoallv},
                       {"barriers", c.barriers}};
    out["memory"] = {{"kv_peak_bytes", stats.kv_bytes_peak}, {"resident_peak_bytes", stats.resident_peak}};
    out["spill"] = {{"record_bytes", stats.spilled.record_bytes}, {"file_bytes", stats.spilled.file_bytes}};
    out["disk"] = {{"read_bytes", stats.disk_read}, {"written_bytes", stats.disk_written}};
    out["checksum"] = head.checksum ? Json(*head.checksum) : Json();
    return out;
}

Json options_json(const Options& o) {
    return {{"strategy", name_of(o.strategy)},
            {"combine", name_of(o.combine)},
            {"combine_switch", o.combine_switch},
            {"balance", name_of(o.balance)},
            {"pipeline", name_of(o.pipeline)},
            {"input", name_of(o.input)},
            {"send_buffer_bytes", o.send_buffer},
            {"combine_cache_bytes", o.combine_cache},
            {"in_flight", o.in_flight},
            {"slice_bytes", o.slice},
            {"chunk_bytes", o.chunk},
            {"balance_factor", o.balance_factor},
            {"memory_bytes", o.memory},
            {"spill", o.spill}};
}

/// Runs `action` on rank 0; if that throws, all ranks throw.
template <class Action>
void on_rank_0(const Communicator& comm, Action&& action) {
    together(comm, [&] {
        if (comm.rank() == 0) {
            action();
        }
    });
}

}  // namespace

std::vector<std::string> gather_texts(const Communicator& comm, const std::string& text) {
    together(comm, [&] {
        if (text.size() > INT_MAX) {
            throw Error("rank " + std::to_string(comm.rank()) + " has " + std::to_string(text.size()) +
                        " bytes of text for rank 0, more than the 2 GiB of one message");
        }
    });
    const int mine = static_cast<int>(text.size());
    std::vector<int> sizes(static_cast<std::size_t>(comm.size()));
    complete("MPI_Igather", MPI_Igather, &mine, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, comm.get());
    // One message per rank: together they can be longer than MPI can count.
    std::vector<std::string> texts;
    if (comm.rank() != 0) {
        complete("MPI_Isend", MPI_Isend, text.data(), mine, MPI_CHAR, 0, 0, comm.get());
        return texts;
    }
    texts.push_back(text);
    for (int rank = 1; rank < comm.size(); ++rank) {
        texts.emplace_back(static_cast<std::size_t>(sizes[static_cast<std::size_t>(rank)]), '\0');
        complete("MPI_Irecv", MPI_Irecv, texts.back().data(), sizes[static_cast<std::size_t>(rank)], MPI_CHAR,
                 rank, 0, comm.get());
    }
    return texts;
}

void write_report(const Communicator& comm, const ReportHead& head, const RankStats& stats,
                  const std::string& path) {
    const std::string mine =
        rank_json(comm.rank(), head, stats).dump(-1, ' ', false, Json::error_handler_t::replace);
    const std::vector<std::string> all = gather_texts(comm, mine);
    on_rank_0(comm, [&] {
        Json ranks = Json::array();
        for (const std::string& one : all) {
            ranks.push_back(Json::parse(one));
        }
        Json report = {{"format", "kvasir-report-1"}, {"app", head.app},
                       {"inputs", head.inputs},       {"keys", head.keys},
                       {"ranks", comm.size()},        {"options", options_json(head.options)},
                       {"windows", windows(ranks)},   {"metrics", metrics(ranks)}};
        report["per_rank"] = ranks;
        AtomicFile file(path);
        file.write(report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
        file.commit();
    });
}

void write_events(const Communicator& comm, const RankStats& stats, const std::string& path) {
    constexpr std::array kinds{"put", "combine", "exchange"};
    std::string mine;
    for (const Event& event : stats.events) {
        for (const std::uint64_t number : {static_cast<std::uint64_t>(comm.rank()), event.word_index,
                                           static_cast<std::uint64_t>(event.partition), event.records,
                                           event.bytes, event.capacity_bytes}) {
            mine += std::to_string(number) + ",";
        }
        mine += kinds.at(static_cast<std::size_t>(event.kind));
        mine += '\n';
    }
    const std::vector<std::string> all = gather_texts(comm, mine);
    on_rank_0(comm, [&] {
        AtomicFile file(path);
        file.write("rank,word_index,partition,records,bytes,capacity_bytes,event\n");
        for (const std::string& one : all) {
            file.write(one);
        }
        file.commit();
    });
}

std::uint64_t checksum_of(std::string_view key, std::uint64_t count) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
    for (const char c : key) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    }
    hash ^= count * 0x9e3779b97f4a7c15ULL;  // then the finaliser of splitmix64
    hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebULL;
    return (hash ^ (hash >> 31U)) & ((std::uint64_t{1} << 52U) - 1);
}

}  // namespace kvasir
