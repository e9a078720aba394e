// sort-records: sorts records of one length by their first bytes; part r holds the r-th range of all.

#include <string>
#include <vector>

#include "kvasir/input.hpp"
#include "kvasir/program.hpp"
#include "kvasir/sort.hpp"
#include "part_files.hpp"
#include "record_options.hpp"

using namespace kvasir;

namespace {

struct SortOptions {
    std::vector<std::string> inputs;
    std::string output;
    app::RecordOptions records;
    std::size_t samples = 1000;
    Options job;
};

app::Ended read_command_line(int argc, char** argv, SortOptions& options) {
    CLI::App parser("Sort records of one length by their first bytes, then by the others");
    options.records.add_to(parser);
    parser.add_option("--samples", options.samples, "Records of each rank that the ranges are made by")
        ->check(CLI::PositiveNumber);
    app::add_size(parser, "--send-buffer", options.job.send_buffer, "Send buffer of each rank");
    app::add_size(parser, "--slice", options.job.slice, "Bytes read at a time");
    app::add_memory(parser, options.job);
    parser.add_option("--output", options.output, "Folder that gets a file part-<rank> of each rank")
        ->required();
    parser.add_option("INPUT", options.inputs, "Files of records, or folders of them")->required();
    app::Ended ended = app::parse_command_line(parser, argc, argv);
    app::fit_send_buffer(parser, options.job);
    return ended;
}

void write_records(AtomicFile& file, SortedRange& sorted) {
    constexpr std::size_t enough = 1U << 18U;
    std::string buffer;
    sorted.for_each([&](std::string_view key, std::string_view value) {
        buffer += key;
        buffer += value;
        if (buffer.size() >= enough) {
            file.write(buffer);
            buffer.clear();
        }
    });
    file.write(buffer);
}

}  // namespace

int main(int argc, char** argv) {
    return run_program(argc, argv, [&](const Communicator& comm) {
        SortOptions options;
        const app::Ended ended = read_command_line(argc, argv, options);
        if (ended.ended) {
            return ended.say(comm);
        }
        options.records.check();
        SortedRange sorted = sort_by_key(
            comm.get(), Records{options.inputs, options.records.record, options.records.decompress},
            [key = options.records.key](std::string_view record, auto& emit) {
                emit(record.substr(0, key), record.substr(key));
            },
            options.job, options.samples);
        app::write_part_files(comm, options.output, [&](AtomicFile& file) { write_records(file, sorted); });
        return 0;
    });
}
