// Sort and TeraSort: records go to the part that their key belongs to and are sorted there.

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "input.hpp"
#include "job.hpp"
#include "kvasir/hdfs/partition.hpp"
#include "kvasir/report.hpp"
#include "kvasir/wait.hpp"

namespace kvasir::jobs {
namespace {

constexpr std::size_t kRow = 100;
constexpr std::size_t kRowKey = 10;

/// 16 bytes that no record holds.
std::string new_mark() {
    std::random_device random;
    std::string mark;
    for (int i = 0; i < 4; ++i) {
        hdfs::append_int32(mark, random());
    }
    return mark;
}

/// Keys of some rows of all O ranks' splits, on all ranks.
std::vector<std::string> sample(Job& job, Input& input) {
    std::string own;
    job.together([&] {
        constexpr std::size_t most_splits = 4;
        const std::size_t splits = std::min(job.splits().size(), most_splits);
        const auto ranks = static_cast<std::size_t>(job.roles().o_ranks());
        for (std::size_t i = 0; i < splits; ++i) {  // spread over what this rank has
            const hdfs::Split& split = job.splits()[i * job.splits().size() / splits];
            input.rows(
                split, kRow, job.options().samples / (ranks * splits) + 1,
                [&](std::string_view row) { own += row.substr(0, kRowKey); }, [] { return true; });
        }
    });
    const int bytes = static_cast<int>(own.size());
    std::vector<int> sizes(static_cast<std::size_t>(job.world().size()));
    complete("MPI_Iallgather", MPI_Iallgather, &bytes, 1, MPI_INT, sizes.data(), 1, MPI_INT,
             job.world().get());
    std::vector<int> places(sizes.size());
    int total = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        places[i] = total;
        total += sizes[i];
    }
    std::string all(static_cast<std::size_t>(total), '\0');
    complete("MPI_Iallgatherv", MPI_Iallgatherv, own.data(), bytes, MPI_CHAR, all.data(), sizes.data(),
             places.data(), MPI_CHAR, job.world().get());
    std::vector<std::string> keys;
    for (std::size_t at = 0; at < all.size(); at += kRowKey) {
        keys.push_back(all.substr(at, kRowKey));
    }
    return keys;
}

}  // namespace

void sort(Job& job) {
    SortedRecords received(job.state());
    PackedExchange exchange(job.state(), received);
    Input input(job);
    job.map_and_exchange(
        exchange,
        [&](const hdfs::Split& split) {
            input.records(
                split,
                [&](std::string_view key, std::string_view value) {
                    job.state().counters().input_bytes += key.size() + value.size();
                    const std::string_view text = hdfs::text_of(key);
                    const int part = hdfs::hash_partition(hdfs::text_hash(text), job.roles().a_ranks());
                    exchange.send(job.roles().process_of_a(part), text, value);
                },
                [&] { return job.go_on(exchange); });
        },
        [] {});
    job.merge([&] { received.sort(); });
    job.write_parts([&](hdfs::ByteSink& part) {
        hdfs::SequenceWriter writer(part, new_mark());
        std::string key;
        received.for_each([&](std::string_view text, std::string_view value) {
            key.clear();
            hdfs::append_vint(key, static_cast<std::int64_t>(text.size()));
            key += text;
            writer.append(key, value);
        });
        writer.flush();
    });
    job.count_spilled(received.spilled());
}

void tera_sort(Job& job) {
    SortedRecords received(job.state());
    Input input(job);
    const hdfs::RangePartition part_of(hdfs::cuts_of(sample(job, input), job.roles().a_ranks()));
    PackedExchange exchange(job.state(), received);
    job.map_and_exchange(
        exchange,
        [&](const hdfs::Split& split) {
            input.rows(
                split, kRow, UINT64_MAX / kRow,
                [&](std::string_view row) {
                    job.state().counters().input_bytes += row.size();
                    const std::string_view key = row.substr(0, kRowKey);
                    exchange.send(job.roles().process_of_a(part_of(key)), key, row.substr(kRowKey));
                },
                [&] { return job.go_on(exchange); });
        },
        [] {});
    job.merge([&] { received.sort(); });
    job.write_parts([&](hdfs::ByteSink& part) {
        received.for_each([&](std::string_view key, std::string_view value) {
            part.write(key);
            part.write(value);
        });
    });
    job.count_spilled(received.spilled());
}

}  // namespace kvasir::jobs
