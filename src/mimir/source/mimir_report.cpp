#include "mimir_report.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "kvasir/atomic_file.hpp"
#include "kvasir/error.hpp"
#include "kvasir/report.hpp"

namespace kvasir::mimir {
namespace {

using Json = nlohmann::ordered_json;
using Ranks = std::vector<Json>;

constexpr const char* kClock = "measured:clock";
constexpr const char* kUsage = "measured:rusage";
constexpr const char* kSystem = "measured:procfs";
constexpr const char* kMimir = "measured:mimir";

Json rank_json(const Outcome& outcome) {
    const RankStats& s = outcome.stats;
    std::uint64_t checksum = 0;
    for (const auto& [word, count] : outcome.counts) {
        checksum = add_checksums(checksum, checksum_of(word, count));
    }
    return {{"start", s.start},
            {"map_aggregate", s.mapped - s.start},
            {"convert_reduce", s.end - s.mapped},
            {"runtime", s.end - s.start},
            {"cpu", s.cpu_end - s.cpu_start},
            {"exchanging", outcome.exchanging},
            {"words", s.counters.emitted},
            {"held", s.counters.held},
            {"keys", s.counters.keys},
            {"sent_bytes", s.counters.sent_bytes},
            {"rounds", s.counters.rounds},
            {"resident_peak", s.resident_peak},
            {"disk_read", s.disk_read},
            {"disk_written", s.disk_written},
            {"checksum", checksum}};
}

template <class Number>
std::vector<Number> each(const Ranks& ranks, const char* name) {
    std::vector<Number> found;
    for (const Json& rank : ranks) {
        found.push_back(rank.at(name).get<Number>());
    }
    return found;
}

template <class Number>
Number most(const Ranks& ranks, const char* name) {
    const auto numbers = each<Number>(ranks, name);
    return *std::max_element(numbers.begin(), numbers.end());
}

std::uint64_t sum(const Ranks& ranks, const char* name) {
    const auto numbers = each<std::uint64_t>(ranks, name);
    return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
}

double total(const Ranks& ranks, const char* name) {
    const auto numbers = each<double>(ranks, name);
    return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

Json metric(const Json& value, const char* unit, const char* source) {
    return {{"value", value}, {"unit", unit}, {"source", source}};
}

Json missing(const char* unit, const std::string& reason) {
    return {{"value", nullptr}, {"unit", unit}, {"source", "none"}, {"reason", reason}};
}

void add_times(Json& out, const Ranks& ranks) {
    const auto runtime = most<double>(ranks, "runtime");
    out["runtime"] = metric(runtime, "s", kClock);
    out["phase.map_aggregate"] = metric(most<double>(ranks, "map_aggregate"), "s", kClock);
    out["phase.convert_reduce"] = metric(most<double>(ranks, "convert_reduce"), "s", kClock);
    out["exchange.time"] =
        metric(total(ranks, "exchanging") / static_cast<double>(ranks.size()), "s", kMimir);
    for (const char* name :
         {"work.map", "work.aggregate", "work.convert", "work.reduce", "wait.aggregate", "wait.barrier"}) {
        out[name] = missing("s", "Mimir does not time its phases apart");
    }
    const double cpu = total(ranks, "cpu");
    out["cpu.total"] = metric(cpu, "s", kUsage);
    out["cpu.mean"] = runtime > 0 ? metric(cpu / runtime, "cores", kUsage)
                                  : missing("cores", "the job took no measurable time");
    double least = 1;
    for (const Json& rank : ranks) {
        const auto seconds = rank.at("runtime").get<double>();
        least = seconds > 0 ? std::min(least, rank.at("cpu").get<double>() / seconds) : least;
    }
    out["cpu.share.min"] = metric(least, "1", kUsage);
}

void add_counts(Json& out, const Ranks& ranks, const Job& job) {
    const std::uint64_t words = sum(ranks, "words");
    out["words"] = metric(words, "1", "measured:driver");
    out["kv.in"] = metric(words, "1", "measured:driver");
    const std::uint64_t held = sum(ranks, "held");
    if (job.combine) {
        const std::string reason = "Mimir does not count the records that its combiner sends";
        out["kv.after_combine"] = missing("1", reason);
        out["combine.rate"] = missing("1", reason);
    } else {
        out["kv.after_combine"] = metric(words, "1", "measured:driver");
        out["combine.rate"] = metric(0, "1", "measured:driver");
    }
    out["kv.received"] = metric(held, "1", kMimir);
    out["shuffle.bytes"] = metric(sum(ranks, "sent_bytes"), "B", kMimir);
    const auto rounds = each<std::uint64_t>(ranks, "rounds");
    out["rounds"] = metric(*std::max_element(rounds.begin(), rounds.end()), "1", kMimir);
    out["alltoallv.min"] = metric(*std::min_element(rounds.begin(), rounds.end()), "1", kMimir);
    out["alltoallv.max"] = metric(*std::max_element(rounds.begin(), rounds.end()), "1", kMimir);
    out["rounds.during_map"] = missing("1", "Mimir counts its exchanges without saying when they were");
    out["barriers"] = missing("1", "Mimir does not count its synchronisations");
    const double mean = static_cast<double>(held) / static_cast<double>(ranks.size());
    out["imbalance"] =
        held != 0 ? metric(static_cast<double>(most<std::uint64_t>(ranks, "held")) / mean, "1", kMimir)
                  : missing("1", "no rank holds a record");
}

void add_output(Json& out, const Ranks& ranks, const Job& job) {
    if (job.stage == Stage::map_aggregate) {
        for (const char* name : {"keys", "ranks.with_keys", "output.checksum"}) {
            out[name] = missing("1", "the job ends before its records are grouped by key");
        }
        return;
    }
    const auto keys = each<std::uint64_t>(ranks, "keys");
    std::uint64_t checksum = 0;
    for (const std::uint64_t share : each<std::uint64_t>(ranks, "checksum")) {
        checksum = add_checksums(checksum, share);
    }
    out["keys"] = metric(sum(ranks, "keys"), "1", "measured:driver");
    out["ranks.with_keys"] =
        metric(std::count_if(keys.begin(), keys.end(), [](std::uint64_t n) { return n != 0; }), "1",
               "measured:driver");
    out["output.checksum"] = metric(checksum, "1", "measured:driver");
}

Json report(const Ranks& ranks, const Job& job) {
    Json metrics;
    add_times(metrics, ranks);
    add_counts(metrics, ranks, job);
    add_output(metrics, ranks, job);
    metrics["mem.peak"] = metric(sum(ranks, "resident_peak"), "B", kSystem);
    metrics["mem.kv"] = missing("B", "Mimir counts whole pages, each container by itself");
    metrics["disk.read"] = metric(sum(ranks, "disk_read"), "B", kSystem);
    metrics["disk.write"] = metric(sum(ranks, "disk_written"), "B", kSystem);
    const auto start = ranks.front().at("start").get<double>();
    const double mapped = start + most<double>(ranks, "map_aggregate");
    const double end = start + most<double>(ranks, "runtime");
    return {{"format", "kvasir-report-1"},
            {"app", "mimir-words"},
            {"inputs", job.inputs},
            {"ranks", ranks.size()},
            {"windows", {{"map_aggregate", {start, mapped}}, {"convert_reduce", {mapped, end}}}},
            {"metrics", metrics},
            {"per_rank", ranks}};
}

/// Runs `action`; if it throws on any rank, all ranks throw.
void together(const Communicator& comm, const std::function<void()>& action) {
    std::string cause;
    try {
        action();
    } catch (const std::exception& error) {
        cause = error.what();
    }
    agree_on_success(comm, cause);
}

}  // namespace

void write_report(const Communicator& comm, const Job& job, const Outcome& outcome, const std::string& path) {
    const std::vector<std::string> texts = gather_texts(comm, rank_json(outcome).dump());
    together(comm, [&] {
        if (comm.rank() != 0) {
            return;
        }
        Ranks ranks;
        for (const std::string& text : texts) {
            ranks.push_back(Json::parse(text));
        }
        AtomicFile file(path);
        file.write(report(ranks, job).dump(1) + "\n");
        file.close();
        file.commit();
    });
}

void write_parts(const Communicator& comm, const Outcome& outcome, const std::string& folder) {
    together(comm, [&] {
        std::filesystem::create_directories(folder);
        std::string lines;
        for (const auto& [word, count] : outcome.counts) {
            lines += word + '\t' + std::to_string(count) + '\n';
        }
        AtomicFile file(folder + "/part-" + std::to_string(comm.rank()));
        file.write(lines);
        file.close();
        file.commit();
    });
}

}  // namespace kvasir::mimir
