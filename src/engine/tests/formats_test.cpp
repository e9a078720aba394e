// Files, partitions and splits of the jobs on HDFS, and how their records are packed and sorted.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "kvasir/detail/sort_store.hpp"
#include "kvasir/hdfs/partition.hpp"
#include "kvasir/hdfs/sequence_file.hpp"
#include "kvasir/hdfs/splits.hpp"

namespace kvasir::hdfs {
namespace {

/// Bytes in memory, given out at most `most` at a time.
class Memory : public ByteSource {
  public:
    explicit Memory(std::string_view bytes, std::size_t most = SIZE_MAX) : rest_(bytes), most_(most) {}
    std::size_t read(char* to, std::size_t most) override {
        const std::size_t part = std::min(most, rest_.size());
        for (std::size_t at = 0; at < part; at += most_) {
            const std::size_t size = std::min(most_, part - at);
            std::copy_n(rest_.data() + at, size, to + at);
        }
        rest_.remove_prefix(part);
        return part;
    }

  private:
    std::string_view rest_;
    std::size_t most_;
};

class Text : public ByteSink {
  public:
    void write(std::string_view bytes) override { text += bytes; }
    std::string text;
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs read_split(const std::string& file, std::uint64_t begin, std::uint64_t end, std::size_t slice) {
    Memory from_start(file);
    Window header(from_start, 0, 64);
    const std::string mark = read_header(header, "f");
    const bool first = begin == 0;
    begin = first ? header.position() : begin;
    Memory source(std::string_view(file).substr(begin));
    Window window(source, begin, slice);
    SequenceReader reader(window, "f", mark, end, first);
    Pairs found;
    const auto sink = [&](std::string_view key, std::string_view value) {
        found.emplace_back(text_of(key), text_of(value));
    };
    while (reader.next(sink)) {
    }
    return found;
}

std::string from_hex(const std::string& hex) {
    std::string bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2) {
        bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    }
    return bytes;
}

/// Written by Hadoop 3.4.2: four records, a mark before the third and the fourth.
const std::string& by_hadoop() {
    static const std::string bytes = from_hex(
        "53455106196f72672e6170616368652e6861646f6f702e696f2e54657874196f72672e6170616368652e6861646f6f702e69"
        "6f2e"
        "546578740000000000007e29ad48b121b249090dcf29fee6a0cc0000000d0000000605746f206265066f72206e6f74000000"
        "02"
        "000000010000ffffffff7e29ad48b121b249090dcf29fee6a0cc000000d100000007066772c3bcc39f8fc861626364656667"
        "6869"
        "6a6b6c6d6e6f707172737475767778797a6162636465666768696a6b6c6d6e6f707172737475767778797a61626364656667"
        "6869"
        "6a6b6c6d6e6f707172737475767778797a6162636465666768696a6b6c6d6e6f707172737475767778797a61626364656667"
        "6869"
        "6a6b6c6d6e6f707172737475767778797a6162636465666768696a6b6c6d6e6f707172737475767778797a61626364656667"
        "6869"
        "6a6b6c6d6e6f707172737475767778797a6162636465666768696a6b6c6d6e6f707172ffffffff7e29ad48b121b249090dcf"
        "29fe"
        "e6a0cc000000060000000403656e640178");
    return bytes;
}

TEST(SequenceFile, ReadsWhatHadoopWrote) {
    const Pairs all = read_split(by_hadoop(), 0, by_hadoop().size(), 64);
    ASSERT_EQ(all.size(), 4U);
    EXPECT_EQ(all[0], std::make_pair(std::string("to be"), std::string("or not")));
    EXPECT_EQ(all[1], std::make_pair(std::string(), std::string()));
    EXPECT_EQ(all[2].first, "gr\xC3\xBC\xC3\x9F");
    EXPECT_EQ(all[2].second.size(), 200U);
    EXPECT_EQ(all[3].first, "end");
}

TEST(SequenceFile, EveryCutGivesEachRecordOnce) {
    const Pairs all = read_split(by_hadoop(), 0, by_hadoop().size(), 64);
    for (std::uint64_t cut = 1; cut < by_hadoop().size(); ++cut) {
        Pairs both = read_split(by_hadoop(), 0, cut, 64);
        const Pairs second = read_split(by_hadoop(), cut, by_hadoop().size(), 64);
        both.insert(both.end(), second.begin(), second.end());
        ASSERT_EQ(both, all) << cut;
    }
}

TEST(SequenceFile, WritesWhatItReads) {
    Text file;
    SequenceWriter writer(file, "0123456789abcdef");
    Pairs written;
    for (int i = 0; i < 3000; ++i) {
        written.emplace_back("key " + std::to_string(i), std::string(static_cast<std::size_t>(i % 500), 'v'));
        std::string key;
        std::string value;
        append_vint(key, static_cast<std::int64_t>(written.back().first.size()));
        append_vint(value, static_cast<std::int64_t>(written.back().second.size()));
        writer.append(key + written.back().first, value + written.back().second);
    }
    writer.flush();
    EXPECT_EQ(file.text.substr(0, 78), by_hadoop().substr(0, 62) + "0123456789abcdef");
    EXPECT_EQ(read_split(file.text, 0, file.text.size(), 4096), written);
    Pairs pieces;
    for (std::uint64_t begin = 0; begin < file.text.size(); begin += 70'000) {
        const Pairs piece = read_split(file.text, begin, begin + 70'000, 1000);
        pieces.insert(pieces.end(), piece.begin(), piece.end());
    }
    EXPECT_EQ(pieces, written);
}

/// What reading a file says, "" if nothing.
std::string complaint(const std::string& file) {
    try {
        (void)read_split(file, 0, file.size(), 64);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(SequenceFile, OtherFilesAreErrors) {
    const std::string begin = "f: no SequenceFile of Texts that is not compressed: ";
    EXPECT_EQ(complaint("plain text"), begin + "it does not begin with SEQ and version 6");
    EXPECT_EQ(complaint(""), begin + "it ends early");
    EXPECT_EQ(complaint(by_hadoop().substr(0, 40)), begin + "it ends early");
    std::string file = by_hadoop();
    file[56] = 1;
    EXPECT_EQ(complaint(file), begin + "it is compressed");
    file = by_hadoop();
    file[10] = 'x';
    EXPECT_NE(complaint(file).find("keys are of type"), std::string::npos);
    EXPECT_EQ(complaint(by_hadoop().substr(0, 200)), begin + "it ends early");
    file = by_hadoop();
    file[115] ^= 1;  // within the first mark
    EXPECT_EQ(complaint(file), begin + "there is a wrong mark at byte 109");
}

TEST(Vint, IsHadoops) {
    const std::map<std::int64_t, std::string> known{
        {0, std::string(1, '\0')}, {127, "\x7F"},         {-112, "\x90"},          {128, "\x8F\x80"},
        {-113, "\x87\x70"},        {300, "\x8E\x01\x2C"}, {65536, "\x8D\x01\x00"}, {-1, std::string("\xFF")},
    };
    for (const auto& [value, bytes] : known) {
        std::string written;
        append_vint(written, value);
        if (value != 65536) {
            EXPECT_EQ(written, bytes) << value;
        }
        std::string_view rest = written;
        EXPECT_EQ(take_vint(rest), value);
        EXPECT_TRUE(rest.empty());
    }
}

TEST(Partition, IsHadoops) {
    EXPECT_EQ(static_cast<std::int32_t>(text_hash("gr\xC3\xBC\xC3\x9F")), -355264255);
    EXPECT_EQ(text_hash(""), 1U);
    EXPECT_EQ(text_hash("to be"), 139098279U);
    EXPECT_EQ(text_hash("a much longer text, of 44 bytes and no more!!"), 345758170U);
    EXPECT_EQ(hash_partition(text_hash("gr\xC3\xBC\xC3\x9F"), 7), (-355264255 & INT32_MAX) % 7);
}

TEST(Partition, RangesAreEvenAndInOrder) {
    std::vector<std::string> keys;
    std::mt19937 random(1);
    for (int i = 0; i < 10'000; ++i) {
        keys.push_back(std::to_string(random()));
    }
    const RangePartition part(cuts_of(keys, 4));
    std::sort(keys.begin(), keys.end());
    std::array<int, 4> sizes{};
    int last = 0;
    for (const std::string& key : keys) {
        EXPECT_GE(part(key), last);
        last = part(key);
        ++sizes.at(static_cast<std::size_t>(last));
    }
    for (const int size : sizes) {
        EXPECT_NEAR(size, 2500, 2);
    }
    EXPECT_EQ(RangePartition(cuts_of({}, 3))("x"), 0);
    EXPECT_EQ(RangePartition({"b"})("b"), 1);  // a part ends before its cut
    EXPECT_EQ(RangePartition({"b"})("a\xFF"), 0);
}

Block block(std::uint64_t offset, std::uint64_t bytes, const std::vector<std::string>& hosts) {
    Block made;
    made.offset = offset;
    made.bytes = bytes;
    for (const std::string& host : hosts) {
        made.data_nodes.emplace_back();
        made.data_nodes.back().ip = host;
    }
    return made;
}

TEST(Splits, StayWithinBlocksAndCoverAll) {
    const auto splits = cut(3, {block(0, 100, {"a"}), block(100, 37, {"b"})}, 40);
    ASSERT_EQ(splits.size(), 4U);
    std::uint64_t at = 0;
    for (const Split& split : splits) {
        EXPECT_EQ(split.begin, at);
        EXPECT_EQ(split.file, 3U);
        EXPECT_LE(split.bytes(), 40U);
        at = split.end;
    }
    EXPECT_EQ(at, 137U);
    EXPECT_EQ(splits[3].hosts[0], "b");
}

TEST(Splits, GoToHostsThatHaveThem) {
    std::vector<Split> splits;
    for (std::uint64_t i = 0; i < 12; ++i) {
        splits.push_back({0, i * 10, i * 10 + 10, {i % 3 == 0 ? "a" : "b"}});
    }
    const std::vector<std::vector<std::string>> ranks{{"n1", "a"}, {"n2", "b"}, {"n2", "b"}};
    const auto given = assign(splits, ranks);
    for (std::size_t rank = 0; rank < given.size(); ++rank) {
        EXPECT_EQ(given[rank].size(), 4U);
        for (const std::size_t split : given[rank]) {
            EXPECT_EQ(splits[split].hosts[0], ranks[rank][1]);
        }
    }
}

TEST(Splits, NobodyHasMuchMoreThanOthers) {
    std::mt19937 random(7);
    for (int round = 0; round < 50; ++round) {
        std::vector<Split> splits;
        std::uint64_t at = 0;
        std::uint64_t largest = 0;
        const std::size_t count = 1 + random() % 40;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint64_t bytes = 1 + random() % 100;
            largest = std::max(largest, bytes);
            splits.push_back({0, at, at + bytes, {random() % 3 == 0 ? "a" : "b"}});
            at += bytes;
        }
        const auto given = assign(splits, {{"a"}, {"b"}, {"c"}, {}});
        std::vector<std::uint64_t> loads;
        std::vector<int> seen(count);
        for (const auto& one : given) {
            loads.push_back(0);
            for (const std::size_t split : one) {
                loads.back() += splits[split].bytes();
                ++seen[split];
            }
        }
        EXPECT_EQ(seen, std::vector<int>(count, 1));
        const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
        EXPECT_LE(*most - *least, largest);
    }
}

}  // namespace
}  // namespace kvasir::hdfs

namespace kvasir::detail {
namespace {

TEST(PackedBlock, HoldsWhatWasPutIn) {
    MemoryMeter meter;
    WordBuffer memory(meter, 64);
    PackedBlock block(meter);
    block.attach(memory.data(), memory.words());
    EXPECT_EQ(block.used(), 0U);
    std::vector<std::pair<std::string, std::string>> put;
    for (int i = 0; block.append("key" + std::to_string(i),
                                 std::string(static_cast<std::size_t>(i * 20), 'v')) != Put::full;
         ++i) {
        put.emplace_back("key" + std::to_string(i), std::string(static_cast<std::size_t>(i * 20), 'v'));
    }
    block.squeeze();
    EXPECT_EQ(block.records(), put.size());
    EXPECT_GT(put.size(), 5U);
    EXPECT_LE(block.used(), block.capacity());
    std::size_t i = 0;
    EXPECT_EQ(PackedBlock::for_each(block.data(),
                                    [&](const char* /*at*/, const PackedRecord& record) {
                                        EXPECT_EQ(record.key, put.at(i).first);
                                        EXPECT_EQ(record.value, put.at(i++).second);
                                    }),
              put.size());
    block.clear();
    EXPECT_EQ(block.used(), 0U);
}

TEST(SortStore, OrdersByKeyThenValueWhateverCameFirst) {
    std::vector<std::pair<std::string, std::string>> records;
    std::mt19937 random(3);
    for (int i = 0; i < 500; ++i) {
        std::string key(random() % 12, 'a');
        for (char& c : key) {
            c = static_cast<char>(random() % 3 == 0 ? random() % 256 : 'a');
        }
        records.emplace_back(key, std::to_string(random() % 5));
    }
    records.emplace_back("", "");
    records.emplace_back(std::string("\0", 1), "");
    records.emplace_back(std::string("\0\0", 2), "");
    std::vector<std::pair<std::string, std::string>> expected = records;
    std::sort(expected.begin(), expected.end());  // std::string compares bytes as unsigned
    for (int round = 0; round < 3; ++round) {
        std::shuffle(records.begin(), records.end(), random);
        MemoryMeter meter;
        SortStore store(meter);
        for (const auto& [key, value] : records) {
            WordBuffer one(meter, PackedBlock::words_of(key, value));
            PackedBlock::write(key, value, one.data());
            EXPECT_EQ(store.ingest(one.data(), one.words()), 1U);
        }
        store.sort();
        ASSERT_EQ(store.size(), expected.size());
        std::size_t i = 0;
        store.for_each([&](const PackedRecord& record) {
            ASSERT_EQ(record.key, expected[i].first) << i;
            ASSERT_EQ(record.value, expected[i].second) << i;
            ++i;
        });
    }
}

TEST(SortStore, SpillsWhatABudgetHasNoRoomForAndLosesNothing) {
    std::mt19937 random(7);
    for (int round = 0; round < 6; ++round) {
        MemoryMeter meter;
        meter.set_budget(std::size_t{64} << (10 + random() % 4));
        const std::size_t longest = 1 + random() % (meter.budget() / 16);
        const bool long_ones = random() % 2 == 0;
        std::vector<std::pair<std::string, std::string>> expected;
        {
            SortStore store(meter);
            store.spill_to(std::filesystem::temp_directory_path());
            std::vector<WordBuffer> others;  // of somebody who needs memory as well
            for (std::size_t bytes = 0; bytes < 20 * meter.budget();) {
                const std::size_t length = random() % (long_ones && random() % 50 == 0 ? longest : 30);
                std::string key = std::to_string(random() % 5000);
                std::string value(length, static_cast<char>('a' + random() % 26));
                if (random() % 3 == 0) {
                    std::swap(key, value);
                }
                if (random() % 2 == 0) {
                    store.add(key, value);
                } else {
                    std::vector<std::uint64_t> one(PackedBlock::words_of(key, value));
                    PackedBlock::write(key, value, one.data());
                    ASSERT_EQ(store.ingest(one.data(), one.size()), 1U);
                }
                if (random() % 500 == 0) {
                    others.clear();
                    others.emplace_back(meter, meter.budget() / 2 / sizeof(std::uint64_t));
                }
                bytes += key.size() + value.size() + 2;
                expected.emplace_back(std::move(key), std::move(value));
            }
            others.clear();
            store.sort();
            std::sort(expected.begin(), expected.end());
            ASSERT_EQ(store.size(), expected.size());
            EXPECT_GT(store.spilled().record_bytes, 10 * meter.budget());
            for (int pass = 0; pass < 2; ++pass) {
                std::size_t i = 0;
                store.for_each([&](const PackedRecord& record) {
                    ASSERT_EQ(record.key, expected[i].first) << i;
                    ASSERT_EQ(record.value, expected[i].second) << i;
                    ++i;
                });
                ASSERT_EQ(i, expected.size());
            }
            EXPECT_LE(meter.peak(), meter.budget());
        }
        EXPECT_EQ(meter.current(), 0U);
    }
}

}  // namespace
}  // namespace kvasir::detail
