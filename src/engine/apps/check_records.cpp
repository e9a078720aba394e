// check-records: says whether files of records are in order, within and across them, and what is in them.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "kvasir/input.hpp"
#include "kvasir/program.hpp"
#include "kvasir/report.hpp"
#include "record_options.hpp"

using namespace kvasir;

namespace {

struct CheckOptions {
    std::vector<std::string> inputs;
    std::vector<std::string> unsorted;
    app::RecordOptions records;
};

/// What was seen of records in their order, on one rank or on several that follow each other.
struct Seen {
    std::uint64_t records = 0;
    std::uint64_t checksum = 0;
    std::uint64_t duplicates = 0;     ///< keys equal to the one before
    std::uint64_t descents = 0;       ///< keys smaller than the one before
    std::uint64_t first_descent = 0;  ///< number of the first of them
    std::string first;                ///< key
    std::string last;                 ///< key

    void compare(std::string_view before, std::string_view after, std::uint64_t number) {
        const int order = before.compare(after);
        duplicates += static_cast<std::uint64_t>(order == 0);
        if (order > 0) {
            first_descent = descents == 0 ? number : first_descent;
            ++descents;
        }
    }

    void add(std::string_view record, std::size_t key_bytes) {
        const std::string_view key = record.substr(0, key_bytes);
        if (records == 0) {
            first = key;
        } else {
            compare(last, key, records);
        }
        last.assign(key);
        checksum += app::record_checksum(record);
        ++records;
    }

    /// Adds what comes behind.
    void append(const Seen& next) {
        if (next.records == 0) {
            return;
        }
        if (records == 0) {
            first = next.first;
        } else {
            compare(last, next.first, records);
        }
        if (descents == 0 && next.descents != 0) {
            first_descent = records + next.first_descent;
        }
        records += next.records;
        checksum += next.checksum;
        duplicates += next.duplicates;
        descents += next.descents;
        last = next.last;
    }
};

app::Ended read_command_line(int argc, char** argv, CheckOptions& options) {
    CLI::App parser("Check that records are sorted by their first bytes, within files and across them");
    options.records.add_to(parser);
    parser
        .add_option("--unsorted", options.unsorted,
                    "Files or a folder of what was sorted, once for each: "
                    "count and checksum must be the same")
        ->allow_extra_args(false);
    parser.add_option("SORTED", options.inputs, "Files in their order, or folders of them by name")
        ->required();
    return app::parse_command_line(parser, argc, argv);
}

std::string packed(const Seen& seen) {
    const std::uint64_t numbers[] = {seen.records, seen.checksum, seen.duplicates, seen.descents,
                                     seen.first_descent};
    std::string text(sizeof(numbers), '\0');
    std::memcpy(text.data(), numbers, sizeof(numbers));
    return text + seen.first + seen.last;
}

Seen unpacked(const std::string& text) {
    std::uint64_t numbers[5];
    std::memcpy(numbers, text.data(), sizeof(numbers));
    const std::size_t key = (text.size() - sizeof(numbers)) / 2;
    return {numbers[0],
            numbers[1],
            numbers[2],
            numbers[3],
            numbers[4],
            text.substr(sizeof(numbers), key),
            text.substr(sizeof(numbers) + key)};
}

/// Looks at all records; returns what was seen, in order, on rank 0. Collective.
Seen look(const Communicator& comm, const std::vector<std::string>& paths,
          const app::RecordOptions& options) {
    auto reader = Records{paths, options.record, options.decompress}.open(comm, Options{});
    PhaseClock clock;
    Counters counters;
    Seen own;
    together(comm, [&] {
        while (reader.next(clock, counters, [&](std::string_view record) { own.add(record, options.key); })) {
        }
    });
    Seen all;
    for (const std::string& text : gather_texts(comm, packed(own))) {  // ranks read one after the other
        all.append(unpacked(text));
    }
    return all;
}

/// Prints what was seen; returns what is wrong with it.
std::string judge(const Seen& sorted, const std::optional<Seen>& unsorted) {
    std::printf("records %llu\nchecksum %016llx\nduplicate keys %llu\n",
                static_cast<unsigned long long>(sorted.records),
                static_cast<unsigned long long>(sorted.checksum),
                static_cast<unsigned long long>(sorted.duplicates));
    if (sorted.descents != 0) {
        return "not sorted: record " + std::to_string(sorted.first_descent + 1) +
               " has a smaller key than the one before it, as " + std::to_string(sorted.descents - 1) +
               " later ones have";
    }
    if (unsorted && unsorted->records != sorted.records) {
        return "sorted, but " + std::to_string(sorted.records) + " records, and " +
               std::to_string(unsorted->records) + " before they were sorted";
    }
    if (unsorted && unsorted->checksum != sorted.checksum) {
        return "sorted, but the records are others than before they were sorted: the checksums differ";
    }
    return "";
}

}  // namespace

int main(int argc, char** argv) {
    return run_program(argc, argv, [&](const Communicator& comm) {
        CheckOptions options;
        const app::Ended ended = read_command_line(argc, argv, options);
        if (ended.ended) {
            return ended.say(comm);
        }
        options.records.check();
        const Seen sorted = look(comm, options.inputs, options.records);
        std::optional<Seen> unsorted;
        if (!options.unsorted.empty()) {
            unsorted = look(comm, options.unsorted, options.records);
        }
        std::string wrong;
        together(comm, [&] {
            if (comm.rank() == 0) {
                wrong = judge(sorted, unsorted);
                app::flush_output();
            }
        });
        agree_on_success(comm, wrong);
        return 0;
    });
}
