#include "kvasir/hdfs/block_stream.hpp"

#include <algorithm>
#include <cstring>

namespace kvasir::hdfs {
namespace {

constexpr char kVersion = 28;
constexpr char kWriteBlock = 80;
constexpr char kReadBlock = 81;
constexpr std::uint64_t kSuccess = 0;
constexpr std::uint64_t kChecksumOk = 6;
constexpr std::uint64_t kPipelineSetupCreate = 6;
constexpr std::int64_t kHeartbeat = -1;
constexpr std::size_t kPacketBytes =
    std::size_t{126} * 512;  // as Hadoop's client: less than 64 KiB with checksums
constexpr std::int64_t kUnacknowledged = 80;
constexpr std::size_t kLongestPacket = 16U << 20U;

/// DataNodes are reached by the address that they are known by to the NameNode.
Address address_of(const DataNode& node) { return {node.ip, node.port}; }

std::string name_of(const DataNode& node) { return "DataNode " + address_of(node).text(); }

Message header(const Block& block, const std::string& client) {
    Message token;
    Message base;
    base.message(1, block.identity());
    if (block.token.empty()) {
        base.message(2, token.bytes(1, "").bytes(2, "").bytes(3, "").bytes(4, ""));
    } else {
        base.bytes(2, block.token);
    }
    Message head;
    head.message(1, base).bytes(2, client);
    return head;
}

std::string operation(char code, const Message& message) {
    std::string bytes;
    bytes += '\0';
    bytes += kVersion;
    bytes += code;
    message.append_delimited(bytes);
    return bytes;
}

void append_fixed(std::string& to, unsigned field, std::uint64_t value, unsigned bytes) {
    to += static_cast<char>(field << 3U | (bytes == 8 ? 1U : 5U));
    for (unsigned i = 0; i < bytes; ++i) {
        to += static_cast<char>(value >> (8 * i));
    }
}

}  // namespace

BlockReader::BlockReader(const Block& block, const DataNode& node, const std::string& client,
                         std::uint64_t offset, std::uint64_t length)
    : connection_(address_of(node), name_of(node)), at_(offset), end_(offset + length) {
    Message request;
    request.message(1, header(block, client)).number(2, offset).number(3, length).number(4, 1);
    connection_.send(operation(kReadBlock, request));
    const std::string answer = connection_.read_delimited();
    std::uint64_t status = kSuccess;
    std::string text;
    for (Fields fields(answer); fields.next();) {
        if (fields.number() == 1) {
            status = fields.value();
        } else if (fields.number() == 5) {
            text = fields.text();
        } else if (fields.number() == 4) {
            for (Fields info(fields.bytes()); info.next();) {
                for (Fields sums(info.number() == 1 ? info.bytes() : ""); sums.next();) {
                    if (sums.number() == 1) {
                        kind_ = static_cast<ChecksumKind>(sums.value());
                    } else if (sums.number() == 2) {
                        chunk_ = sums.value();
                    }
                }
            }
        }
    }
    if (status != kSuccess) {
        throw connection_.error("cannot read block " + std::to_string(block.id) + ": " +
                                (text.empty() ? "status " + std::to_string(status) : text));
    }
}

std::string_view BlockReader::next() {
    if (at_ == end_) {
        return {};
    }
    while (data_.empty()) {
        read_packet();
    }
    const std::string_view found = data_.substr(0, end_ - at_);  // a packet ends with a whole chunk
    data_ = {};
    at_ += found.size();
    if (at_ == end_) {
        answer();
    }
    return found;
}

void BlockReader::read_packet() {
    char head[6];
    connection_.read(head, sizeof(head));
    const std::size_t length = load_int32(head);
    const std::size_t header_length = static_cast<std::size_t>(static_cast<unsigned char>(head[4])) << 8U |
                                      static_cast<unsigned char>(head[5]);
    if (length < 4 || length > kLongestPacket) {
        throw connection_.error("sends something else than packets of a block");
    }
    packet_.resize(header_length);
    connection_.read(packet_.data(), header_length);
    std::uint64_t offset = 0;
    std::size_t data_length = 0;
    for (Fields fields(packet_); fields.next();) {
        if (fields.number() == 1) {
            offset = fields.value();
        } else if (fields.number() == 4) {
            data_length = fields.value();
        }
    }
    packet_.resize(length - 4);
    connection_.read(packet_.data(), packet_.size());
    if (data_length == 0) {
        throw connection_.error("ends a block early");
    }
    const std::size_t sums =
        kind_ == ChecksumKind::none ? 0 : (data_length + chunk_ - 1) / std::max<std::size_t>(chunk_, 1) * 4;
    if (sums + data_length != packet_.size() || offset > at_) {
        throw connection_.error("sends a packet of a wrong size or place");
    }
    data_ = std::string_view(packet_).substr(sums);
    if (kind_ != ChecksumKind::none && !checksums_match(kind_, chunk_, data_, packet_.data())) {
        throw connection_.error("sends data whose checksum is wrong");
    }
    data_.remove_prefix(std::min<std::uint64_t>(at_ - offset, data_.size()));
}

/// Acknowledges a block to the DataNode, which may have closed the connection already.
void BlockReader::answer() {
    Message status;
    status.number(1, kChecksumOk);
    std::string bytes;
    status.append_delimited(bytes);
    try {
        connection_.send(bytes);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
    }
}

std::string place_of(const DataNode& node) { return address_of(node).text(); }

BlockWriter::BlockWriter(const Block& block, const std::string& client, const Defaults& defaults)
    : kind_(defaults.checksum),
      chunk_(defaults.bytes_per_checksum),
      packet_bytes_(std::max<std::size_t>(kPacketBytes / chunk_, 1) * chunk_) {
    for (const DataNode& node : block.data_nodes) {
        places_.push_back(place_of(node));
    }
    guarded([&] {
        connection_.emplace(address_of(block.data_nodes.at(0)), name_of(block.data_nodes.at(0)));
        set_up(block, client);
    });
}

/// Blames the first DataNode, unless it reports that another one failed.
template <class Action>
void BlockWriter::guarded(Action&& action) {
    try {
        action();
    } catch (const PipelineError&) {
        throw;
    } catch (const Error& error) {
        throw PipelineError(error.what(), places_.at(0));
    }
}

void BlockWriter::set_up(const Block& block, const std::string& client) {
    Message sums;
    sums.number(1, static_cast<std::uint64_t>(kind_)).number(2, chunk_);
    Message request;
    request.message(1, header(block, client));
    for (std::size_t i = 1; i < block.data_nodes.size(); ++i) {
        request.bytes(2, block.data_nodes[i].message);
    }
    request.number(4, kPipelineSetupCreate).number(5, block.data_nodes.size());
    request.number(6, 0).number(7, 0).number(8, block.generation).message(9, sums);
    const auto& types = block.storage_types;
    const auto& ids = block.storage_ids;
    if (!types.empty()) {
        request.number(11, types[0]);
        for (std::size_t i = 1; i < types.size(); ++i) {
            request.number(12, types[i]);
        }
    }
    if (!ids.empty()) {
        request.bytes(17, ids[0]);
        for (std::size_t i = 1; i < ids.size(); ++i) {
            request.bytes(18, ids[i]);
        }
    }
    connection_->send(operation(kWriteBlock, request));
    const std::string answer = connection_->read_delimited();
    std::uint64_t status = kSuccess;
    std::string bad;
    std::string text;
    for (Fields fields(answer); fields.next();) {
        if (fields.number() == 1) {
            status = fields.value();
        } else if (fields.number() == 2) {
            bad = fields.text();
        } else if (fields.number() == 5) {
            text = fields.text();
        }
    }
    if (status != kSuccess) {
        text = text.empty() ? "status " + std::to_string(status) : text;
        text = bad.empty() ? text : "DataNode " + bad + " after it cannot be reached";
        throw PipelineError(
            connection_->error("cannot write block " + std::to_string(block.id) + ": " + text).what(),
            bad.empty() ? places_.at(0) : bad);
    }
}

void BlockWriter::send(std::string_view data) {
    guarded([&] { send_packet(data, false); });
}

void BlockWriter::finish() {
    guarded([&] {
        send_packet({}, true);
        while (acknowledged_ != sequence_) {
            take_ack();
        }
    });
}

void BlockWriter::send_packet(std::string_view data, bool last) {
    std::string header;
    append_fixed(header, 1, written_, 8);
    append_fixed(header, 2, static_cast<std::uint64_t>(sequence_), 8);
    header += '\x18';
    header += static_cast<char>(last);
    append_fixed(header, 4, data.size(), 4);
    const std::size_t sums = kind_ == ChecksumKind::none ? 0 : (data.size() + chunk_ - 1) / chunk_ * 4;
    packet_.clear();
    append_int32(packet_, static_cast<std::uint32_t>(4 + sums + data.size()));
    packet_ += static_cast<char>(header.size() >> 8U);
    packet_ += static_cast<char>(header.size());
    packet_ += header;
    const std::size_t at = packet_.size();
    packet_.resize(at + sums);
    if (sums != 0) {
        write_checksums(kind_, chunk_, data, packet_.data() + at);
    }
    packet_ += data;
    connection_->send(packet_);
    written_ += data.size();
    ++sequence_;
    // Once all is acknowledged there is nothing to read but the end of the connection: a DataNode closes it
    // first.
    while (sequence_ - acknowledged_ > kUnacknowledged ||
           (acknowledged_ != sequence_ && connection_->readable())) {
        take_ack();
    }
}

void BlockWriter::take_ack() {
    const std::string answer = connection_->read_delimited();
    std::int64_t sequence = 0;
    std::vector<std::uint64_t> replies;
    for (Fields fields(answer); fields.next();) {
        if (fields.number() == 1) {
            sequence = fields.zigzag();
        } else if (fields.number() == 2) {
            replies.push_back(fields.value());
        }
    }
    if (sequence == kHeartbeat) {
        return;
    }
    for (std::size_t i = 0; i < replies.size() && i < places_.size(); ++i) {
        if (replies[i] != kSuccess) {
            throw PipelineError(
                "DataNode " + places_[i] + ": fails to write (status " + std::to_string(replies[i]) + ")",
                places_[i]);
        }
    }
    if (sequence != acknowledged_) {
        throw connection_->error("acknowledges something else than what it was sent");
    }
    ++acknowledged_;
}

}  // namespace kvasir::hdfs
