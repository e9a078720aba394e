#include "metrics.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

#include "kvasir/report.hpp"

namespace kvasir {
namespace {

using Json = nlohmann::ordered_json;

/// One number of each rank, by its JSON pointer.
template <class Number>
std::vector<Number> each(const Json& ranks, const std::string& pointer) {
    std::vector<Number> numbers;
    for (const Json& rank : ranks) {
        numbers.push_back(rank.at(Json::json_pointer(pointer)).get<Number>());
    }
    return numbers;
}

std::uint64_t sum(const Json& ranks, const std::string& pointer) {
    std::uint64_t total = 0;
    for (const std::uint64_t number : each<std::uint64_t>(ranks, pointer)) {
        total += number;
    }
    return total;
}

double mean(const Json& ranks, const std::string& pointer) {
    double total = 0;
    for (const double number : each<double>(ranks, pointer)) {
        total += number;
    }
    return total / static_cast<double>(ranks.size());
}

template <class Number>
Number most(const Json& ranks, const std::string& pointer) {
    const std::vector<Number> numbers = each<Number>(ranks, pointer);
    return *std::max_element(numbers.begin(), numbers.end());
}

Json metric(const Json& value, const char* unit, const char* source) {
    return {{"value", value}, {"unit", unit}, {"source", source}};
}

Json missing(const char* unit, const char* reason) {
    return {{"value", nullptr}, {"unit", unit}, {"source", "none"}, {"reason", reason}};
}

void add_times(Json& out, const Json& ranks) {
    constexpr const char* clock = "measured:clock";
    const auto runtime = most<double>(ranks, "/time/runtime_s");
    out["runtime"] = metric(runtime, "s", clock);
    out["phase.map_aggregate"] = metric(most<double>(ranks, "/time/map_aggregate_s"), "s", clock);
    out["phase.convert_reduce"] = metric(most<double>(ranks, "/time/convert_reduce_s"), "s", clock);
    // Reading is part of the map; the ranks' own entries tell them apart.
    out["work.map"] =
        metric(mean(ranks, "/phases/map/wall_s") + mean(ranks, "/phases/read/wall_s"), "s", clock);
    for (const std::string name : {"aggregate", "convert", "reduce"}) {
        out["work." + name] = metric(mean(ranks, "/phases/" + name + "/wall_s"), "s", clock);
    }
    for (const std::string name : {"map_aggregate", "convert_reduce"}) {
        const auto seconds = each<double>(ranks, "/overlap/" + name + "_s");
        out["overlap." + name] = metric(*std::min_element(seconds.begin(), seconds.end()), "s", clock);
    }
    for (const std::string name : {"aggregate", "barrier"}) {
        out["wait." + name] = metric(mean(ranks, "/phases/wait_" + name + "/wall_s"), "s", clock);
    }
    const double cpu = mean(ranks, "/time/cpu_s") * static_cast<double>(ranks.size());
    out["cpu.total"] = metric(cpu, "s", "measured:rusage");
    double least = 1;
    const auto used = each<double>(ranks, "/time/cpu_s");
    const auto times = each<double>(ranks, "/time/runtime_s");
    for (std::size_t rank = 0; rank < used.size(); ++rank) {
        least = times[rank] > 0 ? std::min(least, used[rank] / times[rank]) : least;
    }
    out["cpu.share.min"] = metric(least, "1", "measured:rusage");
    out["cpu.mean"] = runtime > 0 ? metric(cpu / runtime, "cores", "measured:rusage")
                                  : missing("cores", "the job took no measurable time");
}

void add_counts(Json& out, const Json& ranks) {
    constexpr const char* engine = "measured:engine";
    const auto in = sum(ranks, "/records/emitted");
    const std::uint64_t sent = sum(ranks, "/records/sent");
    out["words"] = metric(in, "1", engine);
    out["kv.in"] = metric(in, "1", engine);
    out["kv.after_combine"] = metric(sent, "1", engine);
    out["kv.received"] = metric(sum(ranks, "/records/held"), "1", engine);
    out["combine.rate"] = in != 0
                              ? metric(1 - static_cast<double>(sent) / static_cast<double>(in), "1", engine)
                              : missing("1", "the input holds no record");
    out["shuffle.bytes"] = metric(sum(ranks, "/bytes/sent"), "B", engine);
    out["rounds"] = metric(most<std::uint64_t>(ranks, "/exchange/rounds"), "1", engine);
    out["rounds.during_map"] = metric(most<std::uint64_t>(ranks, "/exchange/rounds_during_map"), "1", engine);
    const auto calls = each<std::uint64_t>(ranks, "/exchange/alltoallv");
    out["alltoallv.min"] = metric(*std::min_element(calls.begin(), calls.end()), "1", engine);
    out["alltoallv.max"] = metric(*std::max_element(calls.begin(), calls.end()), "1", engine);
    out["barriers"] = metric(most<std::uint64_t>(ranks, "/exchange/barriers"), "1", engine);
    const double held = mean(ranks, "/records/held");
    out["imbalance"] = held > 0 ? metric(most<double>(ranks, "/records/held") / held, "1", engine)
                                : missing("1", "no rank holds a record");
}

void add_output(Json& out, const Json& ranks) {
    constexpr const char* engine = "measured:engine";
    if (ranks.front().at("checksum").is_null()) {
        for (const char* name : {"keys", "ranks.with_keys", "output.checksum"}) {
            out[name] = missing("1", "the job ends before its records are grouped by key");
        }
        return;
    }
    const auto keys = each<std::uint64_t>(ranks, "/records/keys");
    std::uint64_t checksum = 0;
    for (const std::uint64_t share : each<std::uint64_t>(ranks, "/checksum")) {
        checksum = add_checksums(checksum, share);
    }
    out["keys"] = metric(sum(ranks, "/records/keys"), "1", engine);
    out["ranks.with_keys"] =
        metric(std::count_if(keys.begin(), keys.end(), [](std::uint64_t n) { return n != 0; }), "1", engine);
    out["output.checksum"] = metric(checksum, "1", engine);
}

}  // namespace

const std::vector<std::pair<const char*, Phase>>& phase_names() {
    static const std::vector<std::pair<const char*, Phase>> names{{"read", Phase::read},
                                                                  {"map", Phase::map},
                                                                  {"aggregate", Phase::aggregate},
                                                                  {"convert", Phase::convert},
                                                                  {"reduce", Phase::reduce},
                                                                  {"wait_aggregate", Phase::wait_aggregate},
                                                                  {"wait_barrier", Phase::wait_barrier},
                                                                  {"other", Phase::other}};
    return names;
}

nlohmann::ordered_json metrics(const nlohmann::ordered_json& ranks) {
    Json out;
    add_times(out, ranks);
    add_counts(out, ranks);
    add_output(out, ranks);
    out["mem.peak"] = metric(sum(ranks, "/memory/resident_peak_bytes"), "B", "measured:procfs");
    out["mem.kv"] = metric(sum(ranks, "/memory/kv_peak_bytes"), "B", "measured:engine");
    out["mem.kv.max"] = metric(most<std::uint64_t>(ranks, "/memory/kv_peak_bytes"), "B", "measured:engine");
    out["spill.records"] = metric(sum(ranks, "/spill/record_bytes"), "B", "measured:engine");
    out["spill.file"] = metric(sum(ranks, "/spill/file_bytes"), "B", "measured:engine");
    out["disk.read"] = metric(sum(ranks, "/disk/read_bytes"), "B", "measured:procfs");
    out["disk.write"] = metric(sum(ranks, "/disk/written_bytes"), "B", "measured:procfs");
    return out;
}

nlohmann::ordered_json windows(const nlohmann::ordered_json& ranks) {
    const Json& time = ranks.front().at("time");
    const double start = time.at("start_monotonic_s").get<double>();
    const double mapped = start + most<double>(ranks, "/time/map_aggregate_s");
    const double end = start + most<double>(ranks, "/time/runtime_s");
    return {{"map_aggregate", {start, mapped}}, {"convert_reduce", {mapped, end}}};
}

}  // namespace kvasir
