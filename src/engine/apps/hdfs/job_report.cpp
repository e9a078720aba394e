// The report of a job on HDFS; its fields are described in the engine's HDFS.md.

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "job.hpp"
#include "kvasir/atomic_file.hpp"
#include "kvasir/report.hpp"

namespace kvasir::jobs {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::array kPhases{
    std::pair{"read", Phase::read},
    std::pair{"map", Phase::map},
    std::pair{"exchange", Phase::aggregate},
    std::pair{"sort", Phase::convert},
    std::pair{"write", Phase::reduce},
    std::pair{"wait.exchange", Phase::wait_aggregate},
    std::pair{"wait.barrier", Phase::wait_barrier},
    std::pair{"other", Phase::other},
};

OrderedJson rank_json(Job& job, const std::vector<Span>& spans) {
    const Roles& roles = job.roles();
    const Counters& c = job.state().counters();
    const hdfs::Traffic& t = job.client().traffic;
    RankStats stats;
    ask_system(stats);
    OrderedJson out = {{"rank", job.world().rank()},
                       {"host", job.client().own_names.empty() ? "" : job.client().own_names.front()},
                       {"o", roles.is_o() ? OrderedJson(roles.o().rank()) : OrderedJson()},
                       {"a", roles.is_a() ? OrderedJson(roles.a().rank()) : OrderedJson()},
                       {"splits", job.splits().size()},
                       {"cpu_s", process_cpu_seconds()}};
    for (const auto& [name, phase] : kPhases) {
        const Spent& spent = job.state().clock().spent(phase);
        out["phases"][name] = {{"wall_s", spent.wall}, {"cpu_s", spent.cpu}};
    }
    out["bytes"] = {{"input", c.input_bytes},         {"read", t.read},
                    {"read_locally", t.read_locally}, {"written", t.written},
                    {"sent", c.sent_bytes},           {"sent_to_others", c.sent_elsewhere_bytes},
                    {"received", c.received_bytes}};
    out["blocks"] = {{"written", t.blocks_written}, {"first_replica_local", t.blocks_first_local}};
    out["records"] = {{"emitted", c.emitted}, {"sent", c.sent}, {"received", c.received}};
    out["memory"] = {{"kv_peak_bytes", job.state().memory().peak()},
                     {"resident_peak_bytes", stats.resident_peak}};
    out["spill"] = {{"record_bytes", job.spilled().record_bytes}, {"file_bytes", job.spilled().file_bytes}};
    for (const Span& span : spans) {
        out["spans"].push_back(
            {{"kind", span.kind}, {"phase", span.phase}, {"start_s", span.start}, {"end_s", span.end}});
    }
    return out;
}

/// Sums of the numbers of all ranks.
OrderedJson sums(const OrderedJson& ranks, const char* group) {
    OrderedJson total = OrderedJson::object();
    for (const OrderedJson& rank : ranks) {
        for (const auto& [name, value] : rank.at(group).items()) {
            total[name] = total.value(name, std::uint64_t{0}) + value.get<std::uint64_t>();
        }
    }
    return total;
}

OrderedJson phases_json(const OrderedJson& ranks) {
    OrderedJson phases;
    for (const auto& [name, phase] : kPhases) {
        double most = 0;
        double cpu = 0;
        for (const OrderedJson& rank : ranks) {
            most = std::max(most, rank.at("phases").at(name).at("wall_s").get<double>());
            cpu += rank.at("phases").at(name).at("cpu_s").get<double>();
        }
        phases[name] = {{"wall_max_s", most}, {"cpu_s", cpu}};
    }
    return phases;
}

}  // namespace

void Job::write_report(double ready) {
    if (options_.report.empty()) {
        return;
    }
    (void)state_.clock().enter(Phase::other);
    const double end = wall_time();
    const std::vector<std::string> texts = gather_texts(world_, rank_json(*this, spans_).dump());
    together([&] {
        if (world_.rank() != 0) {
            return;
        }
        OrderedJson ranks = OrderedJson::array();
        for (const std::string& text : texts) {
            ranks.push_back(OrderedJson::parse(text));
        }
        const bool known = options_.launched > 0;
        OrderedJson report = {{"format", "kvasir-hdfs-report-1"},
                              {"job", options_.job},
                              {"mode", options_.iterates() ? "iteration" : "common"},
                              {"input", options_.input},
                              {"output", options_.output},
                              {"processes", world_.size()},
                              {"o_ranks", roles_.o_ranks()},
                              {"a_ranks", roles_.a_ranks()},
                              {"placement", options_.placement == Placement::shared ? "shared" : "split"},
                              {"files", files_.size()},
                              {"splits", splits_of_all_}};
        report["time"] = {{"launched_s", known ? OrderedJson(options_.launched) : OrderedJson()},
                          {"ready_s", ready},
                          {"end_s", end},
                          {"startup", known ? OrderedJson(ready - options_.launched) : OrderedJson()},
                          {"work", end - ready}};
        report["phases"] = phases_json(ranks);
        for (const char* group : {"bytes", "blocks", "records", "spill"}) {
            report[group] = sums(ranks, group);
        }
        for (const auto& [name, value] : facts_) {
            report["facts"][name] = value;
        }
        report["per_rank"] = ranks;
        AtomicFile file(options_.report);
        file.write(report.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n");
        file.commit();
    });
}

}  // namespace kvasir::jobs
