#include "mimir_words.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "kvasir/error.hpp"
#include "kvasir/mpi.hpp"
#include "mimir.h"

namespace kvasir::mimir {
namespace {

using Context = MIMIR_NS::MimirContext<char*, std::uint64_t, char*, void>;
using Lines = MIMIR_NS::Readable<char*, void>;
using Values = MIMIR_NS::Readable<char*, std::uint64_t>;
using Pairs = MIMIR_NS::Writable<char*, std::uint64_t>;

constexpr const char* kSpace = " \t\r\v\f";  // lines are cut at newlines by Mimir

/// Emits each word of each line with the value 1; counts them in `emitted`, a std::uint64_t.
void emit_words(Lines* lines, Pairs* out, void* emitted) {
    char* line = nullptr;
    while (lines->read(&line, nullptr)) {
        char* rest = nullptr;
        for (char* word = strtok_r(line, kSpace, &rest); word != nullptr;
             word = strtok_r(nullptr, kSpace, &rest)) {
            std::uint64_t one = 1;
            out->write(&word, &one);
            ++*static_cast<std::uint64_t*>(emitted);
        }
    }
}

void sum_values(Values* values, Pairs* out, void* /*unused*/) {
    char* word = nullptr;
    std::uint64_t value = 0;
    std::uint64_t total = 0;
    while (values->read(&word, &value)) {
        total += value;
    }
    out->write(&word, &total);
}

void add(MIMIR_NS::Combinable<char*, std::uint64_t>* /*combiner*/, char** /*word*/, std::uint64_t* a,
         std::uint64_t* b, std::uint64_t* sum, void* /*unused*/) {
    *sum = *a + *b;
}

void keep(char** word, std::uint64_t* count, void* counts) {
    static_cast<std::vector<std::pair<std::string, std::uint64_t>>*>(counts)->emplace_back(*word, *count);
}

/// Returns the bytes that Mimir reads at once: its default, or less where that would leave ranks without
/// input.
std::uint64_t chunk_bytes(const std::vector<std::string>& inputs, int ranks) {
    constexpr std::uint64_t most = std::uint64_t{64} << 20U;
    constexpr std::uint64_t page = 4096;  // it takes whole pages
    std::uint64_t total = 0;
    for (const std::string& path : inputs) {
        std::error_code code;
        total += std::filesystem::file_size(path, code);
        if (code) {
            throw file_error("cannot read", path, code.value());
        }
    }
    const std::uint64_t share = total / static_cast<std::uint64_t>(ranks) + 1;
    return std::min(most, (share + page - 1) / page * page);
}

/// Sets what Mimir reads from its environment when its first context is made. Sizes end with a unit, here
/// bytes.
void configure(const Job& job, int ranks) {
    setenv("MIMIR_DISK_SIZE", (std::to_string(chunk_bytes(job.inputs, ranks)) + "b").c_str(), 1);
    setenv("MIMIR_COMM_SIZE", (std::to_string(job.send_buffer) + "b").c_str(), 1);
    setenv("MIMIR_SHUFFLE_TYPE", "a2av", 1);
    setenv("MIMIR_OUTPUT_STAT", "0", 1);
    setenv("MIMIR_OUTPUT_TRACE", "0", 1);
}

/// Takes over Mimir's own counters, which live as long as its context.
void read_counters(Context& context, Outcome& outcome) {
    Counters& counters = outcome.stats.counters;
    counters.sent_bytes = profiler_counter[COUNTER_SEND_BYTES];
    counters.received_bytes = profiler_counter[COUNTER_RECV_BYTES];
    counters.rounds = profiler_counter[COUNTER_SHUFFLE_TIMES];
    counters.alltoallv = profiler_counter[COUNTER_SHUFFLE_TIMES];
    counters.held = context.get_kv_record_count();
    outcome.exchanging = profiler_timer[TIMER_COMM_A2A] + profiler_timer[TIMER_COMM_A2AV];
}

}  // namespace

Outcome run(MPI_Comm comm, const Job& job) {
    int ranks = 1;
    check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
    configure(job, ranks);
    Outcome outcome;
    RankStats& stats = outcome.stats;
    Context context(job.inputs, std::string(), comm, job.combine ? add : nullptr);
    if (profiler_counter == nullptr || profiler_timer == nullptr) {
        throw Error("this Mimir keeps no statistics: build it with -DENABLE_PROFILER, as its configure does");
    }
    MPI_Barrier(comm);
    stats.start = PhaseClock::monotonic();
    stats.cpu_start = process_cpu_seconds();
    context.map(emit_words, &stats.counters.emitted);
    stats.mapped = PhaseClock::monotonic();
    if (job.stage == Stage::count) {
        context.reduce(sum_values);
    }
    stats.end = PhaseClock::monotonic();
    stats.cpu_end = process_cpu_seconds();
    ask_system(stats);
    read_counters(context, outcome);
    if (job.stage == Stage::count) {
        context.scan_output(keep, &outcome.counts);
        stats.counters.keys = outcome.counts.size();
    }
    return outcome;
}

}  // namespace kvasir::mimir
