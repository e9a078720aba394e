// Records of byte strings in blocks, as the exchanges send and receive them: what is put in comes out.

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "input.hpp"
#include "kvasir/detail/block.hpp"
#include "kvasir/detail/packed_block.hpp"
#include "kvasir/detail/sort_store.hpp"
#include "kvasir/memory.hpp"

namespace {

using namespace kvasir;
using Text = std::string_view;
using Record = std::pair<std::string, std::string>;

/// Length that reaches the borders of the layouts: 7, 8, 15, 16, 127 and 128 bytes.
std::size_t length(std::uint8_t byte) { return byte < 250 ? byte % 40U : 120U + byte % 10U; }

std::vector<Record> records_of(fuzz::Input& input) {
    std::vector<Record> records;
    while (!input.empty()) {
        const std::size_t key = length(input.byte());
        const std::size_t value = length(input.byte());
        records.emplace_back(input.bytes(key), input.bytes(value));
    }
    return records;
}

void packed(const std::vector<Record>& records, std::size_t words) {
    MemoryMeter meter;
    WordBuffer memory(meter, words);
    detail::PackedBlock block(meter);
    block.attach(memory.data(), words);
    detail::SortStore store(meter);
    const auto send = [&] {
        block.squeeze();
        if (block.used() != 0) {
            fuzz::check(store.ingest(block.data(), block.used()) == block.records(),
                        "records of a packed block");
        }
        block.clear();
    };
    for (const auto& [key, value] : records) {
        if (block.append(key, value) == detail::Put::full) {
            send();
            if (block.append(key, value) == detail::Put::full) {  // a message of its own
                WordBuffer alone(meter, detail::PackedBlock::words_of(key, value));
                detail::PackedBlock::write(key, value, alone.data());
                fuzz::check(store.ingest(alone.data(), alone.words()) == 1, "a packed record by itself");
            }
        }
    }
    send();
    store.sort();
    std::vector<Record> sorted = records;
    std::sort(sorted.begin(), sorted.end());
    fuzz::check(store.size() == sorted.size(), "number of packed records");
    std::size_t i = 0;
    store.for_each([&](const detail::PackedRecord& record) {
        fuzz::check(record.key == sorted[i].first && record.value == sorted[i].second, "packed records");
        ++i;
    });
}

/// Combines to the longer value, so that records grow, and empties the block into a map whenever it is full.
void combined(const std::vector<Record>& records, std::size_t words) {
    using Traits = detail::RecordTraits<Text, Text>;
    const auto longer = [](Text a, Text b) {
        return std::string(a.size() != b.size() ? (a.size() > b.size() ? a : b) : std::max(a, b));
    };
    MemoryMeter meter;
    WordBuffer memory(meter, words);
    detail::Block<Text, Text> block(meter);
    block.attach(memory.data(), words);
    std::map<std::string, std::string> received;
    const auto add = [&](std::map<std::string, std::string>& to, const std::string& key, Text value) {
        const auto [at, added] = to.emplace(key, value);
        if (!added) {
            at->second = longer(at->second, value);
        }
    };
    const auto take = [&](const std::uint64_t* record) {
        add(received, std::string(Traits::key(record)), Traits::value(record));
        return Traits::words(record);
    };
    const auto send = [&] {
        block.squeeze();
        std::uint64_t found = 0;
        const std::uint64_t* end = block.data() + block.used();
        const std::uint64_t* at = block.data();
        for (; at < end; ++found) {
            at += take(at);
        }
        fuzz::check(at == end && found == block.records(), "records of a block");
        block.clear();
    };
    std::map<std::string, std::string> expected;
    for (const auto& [key, value] : records) {
        add(expected, key, value);
        const detail::KeyCode code = detail::KeyTraits<Text>::encode(Text(key));
        if (block.combine(code, value, longer) == detail::Put::full) {
            send();
            if (block.combine(code, value, longer) == detail::Put::full) {
                WordBuffer alone(meter, Traits::words_of(code, value));
                Traits::write(code, value, alone.data());
                fuzz::check(take(alone.data()) == alone.words(), "a record by itself");
            }
        }
    }
    send();
    fuzz::check(received == expected, "combined records");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const std::size_t words = 3 + input.byte();
    const std::vector<Record> records = records_of(input);
    packed(records, words);
    combined(records, words);
    return 0;
}
