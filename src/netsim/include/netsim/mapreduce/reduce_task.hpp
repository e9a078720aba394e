#pragma once
/// State of a reduce task: outputs that it can fetch, and data that it holds.

#include <cstdint>
#include <vector>

#include "netsim/mapreduce/process.hpp"
#include "netsim/random.hpp"
#include "netsim/time.hpp"

namespace netsim::mapreduce {

struct JobState;

struct ReduceTask {
    ReduceTask(JobState& of, int number, int on, Random order)
        : job(of), index(number), node(on), random_order(order) {}

    JobState& job;
    int index;
    int node;
    Random random_order;
    std::vector<int> ready;     ///< maps whose output may be fetched, in the order heard of
    std::size_t announced = 0;  ///< how many of the job's finished maps it has heard of
    bool fetching = false;      ///< the JVM runs
    int copiers = 0;            ///< fetches under way
    int fetched = 0;
    std::uint64_t bytes = 0;
    double memory_bytes = 0;  ///< fetched and not yet merged
    int memory_segments = 0;
    int merging = 0;  ///< merges under way
    Signal complete;  ///< all is fetched and no merge is under way
    Time begun = 0;
    Time shuffled = 0;
};

}  // namespace netsim::mapreduce
