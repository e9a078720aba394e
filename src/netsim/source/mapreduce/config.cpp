#include "netsim/mapreduce/config.hpp"

#include <nlohmann/json.hpp>

#include "netsim/fields.hpp"

namespace netsim::mapreduce {
namespace {

const Range kNotNegative = Range::at_least(0);
const Range kPositive = Range::above(0);
const Range kCount = Range::between(1, 1e6);

int whole(Fields& fields, std::string_view key, const Range& range, int otherwise) {
    return static_cast<int>(fields.integer(key, range, otherwise));
}

const char* name_of(Policy policy) {
    switch (policy) {
        case Policy::Quincy:
            return "quincy";
        case Policy::Fair:
            return "fair";
        case Policy::Fifo:
            break;
    }
    return "fifo";
}

Policy policy_of(const std::string& name) {
    return name == "quincy" ? Policy::Quincy : name == "fair" ? Policy::Fair : Policy::Fifo;
}

ClusterConfig parse_cluster(Fields fields) {
    ClusterConfig c;
    c.cores = whole(fields, "cores", Range::between(1, 1024), c.cores);
    c.core_hz = fields.number("core_hz", kPositive, c.core_hz);
    c.disk_read = fields.number("disk_read", kPositive, c.disk_read);
    c.disk_write = fields.number("disk_write", kPositive, c.disk_write);
    fields.finish();
    return c;
}

QuincyConfig parse_quincy(Fields fields) {
    QuincyConfig c;
    c.wait = fields.number("wait", Range::between(0, 1e6), c.wait);
    c.local = fields.number("local", Range::between(0, 1e6), c.local);
    c.rack = fields.number("rack", Range::between(0, 1e6), c.rack);
    c.cross = fields.number("cross", Range::between(0, 1e6), c.cross);
    c.replan_s = fields.number("replan_s", kNotNegative, c.replan_s);
    fields.finish();
    return c;
}

MapConfig parse_map(Fields fields) {
    MapConfig c;
    c.jvm_cycles = fields.number("jvm_cycles", kNotNegative, c.jvm_cycles);
    c.cycles_per_byte = fields.number("cycles_per_byte", kNotNegative, c.cycles_per_byte);
    c.sort_cycles_per_byte = fields.number("sort_cycles_per_byte", kNotNegative, c.sort_cycles_per_byte);
    c.spill_bytes = fields.number("spill_bytes", Range::at_least(1), c.spill_bytes);
    c.wrap_up_cycles = fields.number("wrap_up_cycles", kNotNegative, c.wrap_up_cycles);
    fields.finish();
    return c;
}

ReduceConfig parse_reduce(Fields fields) {
    ReduceConfig c;
    c.jvm_cycles = fields.number("jvm_cycles", kNotNegative, c.jvm_cycles);
    c.memory_bytes = fields.number("memory_bytes", Range::at_least(1), c.memory_bytes);
    c.memory_segments = whole(fields, "memory_segments", kCount, c.memory_segments);
    c.merge_cycles = fields.number("merge_cycles", kNotNegative, c.merge_cycles);
    c.sort_cycles = fields.number("sort_cycles", kNotNegative, c.sort_cycles);
    c.cycles_per_byte = fields.number("cycles_per_byte", kNotNegative, c.cycles_per_byte);
    c.copiers = whole(fields, "copiers", kCount, c.copiers);
    c.random_order = fields.choice("fetch_order", {"completion", "random"}, "completion") == "random";
    c.disk_read = fields.boolean("disk_read", c.disk_read);
    fields.finish();
    return c;
}

HadoopConfig parse_hadoop(Fields fields) {
    HadoopConfig c;
    c.heartbeat_s = fields.number("heartbeat_s", Range::between(1e-3, 1e6), c.heartbeat_s);
    c.tasks_per_heartbeat = whole(fields, "tasks_per_heartbeat", kCount, c.tasks_per_heartbeat);
    c.map_slots = whole(fields, "map_slots", kCount, c.map_slots);
    c.reduce_slots = whole(fields, "reduce_slots", kCount, c.reduce_slots);
    c.scheduler = policy_of(fields.choice("scheduler", {"quincy", "fair", "fifo"}, name_of(c.scheduler)));
    c.quincy = parse_quincy(fields.object("quincy", true));
    c.replication = whole(fields, "replication", Range::between(1, 64), c.replication);
    c.output_replication = whole(fields, "output_replication", Range::between(1, 64), c.output_replication);
    c.balanced_placement = fields.choice("placement", {"random", "balanced"}, "random") == "balanced";
    c.slowstart = fields.number("slowstart", Range::between(0, 1), c.slowstart);
    c.report_at_once = fields.choice("report", {"at-once", "heartbeat"}, "at-once") == "at-once";
    c.control_bytes = whole(fields, "control_bytes", Range::between(0, 1e6), c.control_bytes);
    c.noise = fields.number("noise", Range::between(1, 10), c.noise);
    c.noise_reduce = fields.number("noise_reduce", Range::between(1, 10), c.noise_reduce);
    c.map = parse_map(fields.object("map", true));
    c.reduce = parse_reduce(fields.object("reduce", true));
    fields.finish();
    return c;
}

JobsConfig parse_jobs(Fields fields) {
    JobsConfig c;
    c.workload = fields.choice("workload", {"small", "terasort", "batch"}, c.workload);
    c.count = whole(fields, "count", kCount, c.count);
    c.count = c.workload == "batch" ? 1 : c.count;
    c.window_s = fields.number("window_s", Range::between(0, 1e6), c.window_s);
    c.load_percent = fields.number("load_percent", Range::between(0.01, 1000), c.load_percent);
    c.arrivals = fields.choice("arrivals", {"poisson", "fixed"}, "poisson") == "poisson" ? Arrivals::Poisson
                                                                                         : Arrivals::Fixed;
    c.maps = whole(fields, "maps", Range::between(0, 1e6), c.maps);
    c.reduces = whole(fields, "reduces", Range::between(0, 1e6), c.reduces);
    c.block_bytes = fields.number("block_bytes", Range::between(0, 1e12), c.block_bytes);
    Fields mix = fields.object("mix", true);
    c.mix.terasort = mix.number("terasort", kNotNegative, c.mix.terasort);
    c.mix.search = mix.number("search", kNotNegative, c.mix.search);
    c.mix.index = mix.number("index", kNotNegative, c.mix.index);
    mix.finish();
    if (c.mix.terasort + c.mix.search + c.mix.index <= 0) {
        fields.fail("mix", "at least one kind with a number > 0");
    }
    Fields ratios = fields.object("ratios", true);
    c.ratios.terasort = ratios.number("terasort", Range::between(0, 1000), c.ratios.terasort);
    c.ratios.search = ratios.number("search", Range::between(0, 1000), c.ratios.search);
    c.ratios.index = ratios.number("index", Range::between(0, 1000), c.ratios.index);
    ratios.finish();
    c.limit_s = fields.number("limit_s", Range::between(1, 1e6), c.limit_s);
    fields.finish();
    return c;
}

}  // namespace

Config read_config(const nlohmann::json& document) {
    Fields root(document, "");
    Config c;
    c.cluster = parse_cluster(root.object("cluster", true));
    c.hadoop = parse_hadoop(root.object("hadoop", true));
    c.jobs = parse_jobs(root.object("jobs", true));
    return c;
}

nlohmann::ordered_json to_json(const Config& config) {
    using Json = nlohmann::ordered_json;
    const ClusterConfig& cluster = config.cluster;
    const HadoopConfig& h = config.hadoop;
    const JobsConfig& jobs = config.jobs;
    Json out;
    out["cluster"] = Json{{"cores", cluster.cores},
                          {"core_hz", cluster.core_hz},
                          {"disk_read", cluster.disk_read},
                          {"disk_write", cluster.disk_write}};
    out["hadoop"] = Json{{"heartbeat_s", h.heartbeat_s},
                         {"tasks_per_heartbeat", h.tasks_per_heartbeat},
                         {"map_slots", h.map_slots},
                         {"reduce_slots", h.reduce_slots},
                         {"scheduler", name_of(h.scheduler)},
                         {"replication", h.replication},
                         {"output_replication", h.output_replication},
                         {"placement", h.balanced_placement ? "balanced" : "random"},
                         {"slowstart", h.slowstart},
                         {"report", h.report_at_once ? "at-once" : "heartbeat"},
                         {"control_bytes", h.control_bytes},
                         {"noise", h.noise},
                         {"noise_reduce", h.noise_reduce}};
    out["hadoop"]["quincy"] = Json{{"wait", h.quincy.wait},
                                   {"local", h.quincy.local},
                                   {"rack", h.quincy.rack},
                                   {"cross", h.quincy.cross},
                                   {"replan_s", h.quincy.replan_s}};
    out["hadoop"]["map"] = Json{{"jvm_cycles", h.map.jvm_cycles},
                                {"cycles_per_byte", h.map.cycles_per_byte},
                                {"sort_cycles_per_byte", h.map.sort_cycles_per_byte},
                                {"spill_bytes", h.map.spill_bytes},
                                {"wrap_up_cycles", h.map.wrap_up_cycles}};
    out["hadoop"]["reduce"] = Json{{"jvm_cycles", h.reduce.jvm_cycles},
                                   {"memory_bytes", h.reduce.memory_bytes},
                                   {"memory_segments", h.reduce.memory_segments},
                                   {"merge_cycles", h.reduce.merge_cycles},
                                   {"sort_cycles", h.reduce.sort_cycles},
                                   {"cycles_per_byte", h.reduce.cycles_per_byte},
                                   {"copiers", h.reduce.copiers},
                                   {"fetch_order", h.reduce.random_order ? "random" : "completion"},
                                   {"disk_read", h.reduce.disk_read}};
    out["jobs"] = Json{{"workload", jobs.workload},
                       {"count", jobs.count},
                       {"window_s", jobs.window_s},
                       {"load_percent", jobs.load_percent},
                       {"arrivals", jobs.arrivals == Arrivals::Poisson ? "poisson" : "fixed"},
                       {"maps", jobs.maps},
                       {"reduces", jobs.reduces},
                       {"block_bytes", jobs.block_bytes},
                       {"limit_s", jobs.limit_s}};
    out["jobs"]["mix"] =
        Json{{"terasort", jobs.mix.terasort}, {"search", jobs.mix.search}, {"index", jobs.mix.index}};
    out["jobs"]["ratios"] = Json{
        {"terasort", jobs.ratios.terasort}, {"search", jobs.ratios.search}, {"index", jobs.ratios.index}};
    return out;
}

}  // namespace netsim::mapreduce
