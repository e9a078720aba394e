#pragma once
/// Configuration of nodes, Hadoop and jobs: the sections "cluster", "hadoop" and "jobs".
///
/// Most values are those of MRPerf (the source of 2010), the simulator of the paper; "MRPerf" below means
/// that it has this value or does this. "The paper": Fischer e Silva and Carpenter on Energy Efficient
/// Ethernet on MapReduce clusters. What neither of them states is an open choice and says so.

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace netsim::mapreduce {

inline constexpr double kMiB = 1024.0 * 1024.0;

/// Section "cluster": resources of a node.
struct ClusterConfig {
    /// Cores per worker. The paper's Table II lists 2 cores and 2 processors; its text says "the throughput
    /// of a two-core Xeon at 2.5 GHz", which is read here as 2 cores: 46, 98 and 158 worker cores for 24, 50
    /// and 80 nodes.
    int cores = 2;
    /// Cycles per second of a core. MRPerf: "Xeon 2.5GHz L5420".
    double core_hz = 2.5e9;
    /// Disk rates, B/s; one disk per node, shared evenly by its tasks, no seek time. MRPerf: "Seagate".
    double disk_read = 280 * kMiB;
    double disk_write = 75 * kMiB;
};

/// Scheduling policy.
enum class Policy {
    Quincy,  ///< cheapest matching of all waiting tasks to all free slots; what the paper uses
    Fair,    ///< the job with the fewest running tasks first
    Fifo     ///< the oldest job first
};

/// Costs of the quincy policy, in units of its own. MRPerf: 0.5, 0.001, 1, 2.
struct QuincyConfig {
    double wait = 0.5;     ///< cost of not starting a task, per second that it has waited
    double local = 0.001;  ///< cost of a map whose block is on the node
    double rack = 1;       ///< ... in the rack
    double cross = 2;      ///< ... in another rack
    /// Longest time that a plan is kept, s. It is made anew when jobs or slots have come; waiting alone
    /// changes it slowly. Open choice (MRPerf plans at every heartbeat, of which there are 10 in this time
    /// with 100 nodes).
    double replan_s = 0.1;
};

/// Costs of a map task.
struct MapConfig {
    double jvm_cycles = 4.0e9;
    double cycles_per_byte = 40;       ///< of input
    double sort_cycles_per_byte = 44;  ///< of output
    double spill_bytes = 50 * kMiB;    ///< output that is sorted and written at once
    /// Cycles after the last write. MRPerf sets 4.8e9 but its call is commented out, so that none are spent.
    double wrap_up_cycles = 0;
};

/// Costs of a reduce task.
struct ReduceConfig {
    double jvm_cycles = 4.0e9;
    double memory_bytes = 66 * kMiB;  ///< fetched data that is merged to disk at once
    int memory_segments = 100;        ///< ... or that many fetched outputs
    double merge_cycles = 1.0e9;      ///< per merge
    double sort_cycles = 6.0e9;
    double cycles_per_byte = 90;
    /// Fetches at once per reduce task. Open choice: 5 is Hadoop's default and stands in a comment of MRPerf,
    /// which itself uses the number of nodes.
    int copiers = 5;
    /// Order of fetches: "completion" of the maps (MRPerf), or "random" among those that are ready (Hadoop).
    bool random_order = false;
    /// Whether a fetch first reads the disk of the map's node. MRPerf.
    bool disk_read = true;
};

/// Section "hadoop".
struct HadoopConfig {
    double heartbeat_s = 1;
    /// Tasks of each kind that one heartbeat may start.
    int tasks_per_heartbeat = 2;
    int map_slots = 2;
    int reduce_slots = 2;
    Policy scheduler = Policy::Quincy;
    QuincyConfig quincy;
    /// Copies of input blocks. Open choice: 1, as in MRPerf's samples (its sample of many jobs has 3).
    int replication = 1;
    /// Copies of output. MRPerf writes to the local disk only; more go through a pipeline over the network.
    int output_replication = 1;
    /// Where input lies: "random" nodes (MRPerf), or "balanced", every node in turn.
    bool balanced_placement = false;
    /// Share of a job's maps that must have ended before its reduces start. MRPerf: 0; Hadoop: 0.05.
    double slowstart = 0;
    /// End of a task is reported "at-once" over its own connection (MRPerf) or with the next "heartbeat"
    /// (Hadoop).
    bool report_at_once = true;
    /// Bytes of a control message (heartbeat, start and end of a task, end of a map to each reduce). MRPerf:
    /// 100. 0: control takes neither traffic nor time.
    int control_bytes = 100;
    /// Every step on a CPU or disk takes its mean time times a lognormal factor whose logarithm has the
    /// standard deviation ln(noise). MRPerf: 1.10, and 1.04 for the computing of a reduce. 1: none.
    double noise = 1.10;
    double noise_reduce = 1.04;
    MapConfig map;
    ReduceConfig reduce;
};

/// Arrival process of jobs.
enum class Arrivals { Poisson, Fixed };

/// Bytes of map output (and of job output) per byte of input. Table III of the paper: 640, 0.033 and 114 of
/// 640 MB.
struct Ratios {
    double terasort = 1;
    double search = 0.033 / 640;
    double index = 114.0 / 640;
};

/// Relative numbers of jobs. The paper: a third each.
struct Mix {
    double terasort = 1;
    double search = 1;
    double index = 1;
};

/// Section "jobs". Which keys have which defaults depends on the workload: "small" is the mix of small jobs,
/// "terasort" are small jobs that are all TeraSort (the paper's section IV-C4), "batch" is one TeraSort over
/// the whole cluster.
struct JobsConfig {
    std::string workload = "small";
    /// Number of jobs of a stream. Open choice. A batch is one job, whatever stands here.
    int count = 20;
    /// Time in which the stream's jobs come, s: their number is then that which brings `load_percent` on
    /// these workers, and `count` is not used. 0: `count` jobs. Open choice: the paper's total runtime grows
    /// with the load, which a fixed number of jobs cannot do.
    double window_s = 0;
    /// CPU demand of the stream in percent of all worker cores. The paper: 40, and 5 to 55.
    double load_percent = 40;
    /// Open choice: the paper says "each released at a particular time"; MRPerf's generator draws exponential
    /// gaps.
    Arrivals arrivals = Arrivals::Poisson;
    /// 0: 10, or for batch twice the number of workers. The paper's Table II.
    int maps = 0;
    /// 0: 1, or for batch twice the number of workers.
    int reduces = 0;
    /// 0: 64 MiB, or for batch 128 MiB. Megabytes of blocks are 2^20 B as in Hadoop.
    double block_bytes = 0;
    Mix mix;
    Ratios ratios;
    /// Most simulated seconds after the last job came; then the run fails with a message.
    double limit_s = 100'000;
};

/// The job layer's part of a configuration.
struct Config {
    ClusterConfig cluster;
    HadoopConfig hadoop;
    JobsConfig jobs;
};

/// Parses the three sections of a document and ignores the others. All keys are optional, as are the
/// sections. Throws ConfigError that names the path of the field ("jobs.count: found -1, expected ...").
Config read_config(const nlohmann::json& document);

/// Returns the three sections with every value in effect.
nlohmann::ordered_json to_json(const Config& config);

}  // namespace netsim::mapreduce
