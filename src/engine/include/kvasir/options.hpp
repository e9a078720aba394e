#pragma once
// Options of a job. The defaults are fast on any data; those of the paper on power and performance of
// MapReduce over MPI are `partition_full` with the same send buffer of 64 MB.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kvasir {

/// Exchange of records while ranks map.
enum class Strategy {
    partition_full,  ///< all ranks, by MPI_Alltoallv, when one partition of one rank's send buffer is full
    by_fill,         ///< each rank on its own, block by block, with a bounded number of blocks in flight
    adaptive,  ///< as by_fill; the table before it is large, small or none, as the records combine there
};

/// Where to combine records of equal key, seen from the exchange.
enum class CombineWhere { none, before, after, both };

/// Measure against skew.
enum class Balance {
    hash,         ///< nothing: a key's rank is its hash
    repartition,  ///< ranges of the hash move between ranks while the job runs
    split,        ///< as `repartition`, and the records of very frequent keys go to all ranks
};

/// Whether phases overlap.
enum class Pipeline {
    pipelined,  ///< exchange while mapping, reduce while converting; one synchronisation between the halves
    staged,     ///< each phase writes a container that the next one reads, with a barrier after each
};

/// Assignment of the input to ranks.
enum class InputMode {
    fixed,    ///< equal shares, known beforehand (`static` on the command line)
    dynamic,  ///< chunks to whoever asks next: a slow reader gets fewer
};

/// Options of a job. Sizes are in bytes.
struct Options {
    Strategy strategy = Strategy::adaptive;
    CombineWhere combine = CombineWhere::both;  ///< without effect where the job has no combiner
    bool combine_switch = false;  ///< stop combining before the exchange while it hardly ever finds an equal
                                  ///< key; adaptive does so
    Balance balance = Balance::hash;
    Pipeline pipeline = Pipeline::pipelined;
    InputMode input = InputMode::fixed;

    std::size_t send_buffer = 64'000'000;  ///< of one rank
    std::size_t combine_cache =
        1U << 20U;      ///< by_fill, adaptive: bytes of all small blocks that are being combined into
    int in_flight = 3;  ///< by_fill, adaptive: blocks under way to one rank, 2 to 4
    std::size_t slice = 256U << 10U;  ///< bytes of text read and mapped at a time
    std::size_t chunk = 4U << 20U;    ///< dynamic input: bytes given out at a time
    double balance_factor = 1.05;     ///< bins move when the fullest rank holds this many times the mean
    std::uint64_t balance_first = 1U << 14U;  ///< records of a rank after which balance is first looked at
    std::size_t message_words = 0;            ///< longest message in 8-byte words; 0: what MPI can count
    bool events = false;                      ///< log every record and exchange; for tiny inputs
    std::size_t memory =
        0;  ///< budget of one rank for records and buffers; 0: none. send_buffer: a quarter at most
    std::string spill;  ///< folder for what exceeds `memory`; empty: a job that exceeds it fails
};

/// Throws Error, naming the option, what was found and what is allowed, unless all settings make sense for a
/// job of `ranks` ranks.
void validate(const Options& options, int ranks);

/// Parses a size in bytes: "64MB", "64M", "1MiB", "4096" or "1.5 GB" (kB, MB, GB, with or without B: powers
/// of 1000; KiB, MiB, GiB: powers of 1024). Throws Error when `text` is anything else or not positive.
std::size_t parse_size(std::string_view text);

std::string name_of(Strategy value);
std::string name_of(CombineWhere value);
std::string name_of(Balance value);
std::string name_of(Pipeline value);
std::string name_of(InputMode value);

}  // namespace kvasir
