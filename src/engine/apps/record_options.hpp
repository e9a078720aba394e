#pragma once
// Options of the programs that sort and check records.

#include <cstddef>
#include <string>

#include "command_line.hpp"
#include "record_order.hpp"

namespace kvasir::app {

/// Shape of the records and of the files that they are read from.
struct RecordOptions {
    std::size_t record = kRecordBytes;  ///< bytes
    std::size_t key = kKeyBytes;        ///< bytes, the first of the record
    bool decompress = true;

    void add_to(CLI::App& app) {
        add_size(app, "--record", record, "Length of a record, 100B if not given");
        add_size(app, "--key", key, "Length of the key at its begin, 10B if not given");
        add_choice<bool>(app, "--compression", decompress, {{"auto", true}, {"none", false}},
                         "Whether gzip and Zstandard files are read as the records in them");
    }

    /// Throws Error when a key is longer than its record.
    void check() const {
        if (key > record) {
            throw Error("--key: " + std::to_string(key) + " bytes; a record has only " +
                        std::to_string(record));
        }
    }
};

}  // namespace kvasir::app
