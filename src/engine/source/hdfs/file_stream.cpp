#include "kvasir/hdfs/file_stream.hpp"

#include <algorithm>
#include <cstring>

#include "kvasir/clock.hpp"

namespace kvasir::hdfs {
namespace {

constexpr std::uint64_t kFirstPiece = 64U << 10U;
constexpr std::uint64_t kLargestPiece = 4U << 20U;
constexpr double kRenewEveryS = 30;  // a lease is safe for a minute
constexpr int kPipelineTries = 4;

}  // namespace

Client::Client(const Address& address, const std::string& user)
    : name_node(address, user), own_names(hdfs::own_names()) {}

bool Client::is_local(const DataNode& node) const {
    return std::any_of(own_names.begin(), own_names.end(),
                       [&](const std::string& name) { return name == node.ip || name == node.name; });
}

FileReader::FileReader(Client& client, const FileStatus& file, std::uint64_t begin, std::uint64_t expected)
    : client_(client),
      file_(file),
      at_(begin),
      expected_(std::min(std::max(expected, begin), file.length)),
      piece_(kFirstPiece) {}

std::size_t FileReader::read(char* to, std::size_t most) {
    std::size_t done = 0;
    while (done != most && (!rest_.empty() || more())) {
        const std::size_t part = std::min(most - done, rest_.size());
        std::memcpy(to + done, rest_.data(), part);
        rest_.remove_prefix(part);
        at_ += part;
        done += part;
    }
    return done;
}

/// Gets further bytes; false at the end of the file.
bool FileReader::more() {
    while (at_ < file_.length) {
        if (!reader_) {
            open();
        }
        if (!reader_) {
            continue;  // with the next DataNode
        }
        try {
            rest_ = reader_->next();
        } catch (const Error& error) {
            failed(error);
            continue;
        }
        if (!rest_.empty()) {
            client_.traffic.read += rest_.size();
            client_.traffic.read_locally += local_ ? rest_.size() : 0;
            return true;
        }
        reader_.reset();
    }
    return false;
}

/// The DataNode that is being read from is not asked again.
void FileReader::failed(const Error& error) {
    failures_.emplace_back(from_, error.what());
    reader_.reset();
}

const Block& FileReader::block_here() {
    const auto holds = [&](const Block& block) {
        return block.offset <= at_ && at_ < block.offset + block.bytes;
    };
    auto block = std::find_if(blocks_.begin(), blocks_.end(), holds);
    if (block == blocks_.end()) {
        blocks_ = client_.name_node.blocks(file_.path, at_, at_ < expected_ ? expected_ - at_ : 1);
        block = std::find_if(blocks_.begin(), blocks_.end(), holds);
    }
    if (block == blocks_.end() || block->data_nodes.empty()) {
        throw Error(file_.path + ": its block at byte " + std::to_string(at_) + " is on no DataNode");
    }
    return *block;
}

/// The nearest DataNode that has not failed. Hosts may have several addresses, so that the NameNode need not
/// know which DataNode is on this one.
const DataNode& FileReader::choose(const Block& block) const {
    const DataNode* chosen = nullptr;
    for (const DataNode& node : block.data_nodes) {
        const bool tried = std::any_of(failures_.begin(), failures_.end(),
                                       [&](const auto& failure) { return failure.first == place_of(node); });
        if (!tried && (chosen == nullptr || (client_.is_local(node) && !client_.is_local(*chosen)))) {
            chosen = &node;
        }
    }
    if (chosen == nullptr) {
        std::string causes;
        for (const auto& [node, cause] : failures_) {
            causes += "; " + cause;
        }
        throw Error(file_.path + ": no DataNode gives its block at byte " + std::to_string(block.offset) +
                    causes);
    }
    return *chosen;
}

void FileReader::open() {
    const Block& block = block_here();
    const DataNode& node = choose(block);
    const std::uint64_t end = block.offset + block.bytes;
    std::uint64_t until = std::min(end, expected_);
    if (at_ >= expected_) {
        until = std::min(end, at_ + piece_);
        piece_ = std::min(2 * piece_, kLargestPiece);
    }
    local_ = client_.is_local(node);
    from_ = place_of(node);
    try {
        reader_.emplace(block, node, client_.name_node.client(), at_ - block.offset, until - at_);
    } catch (const Error& error) {
        failed(error);
    }
}

FileWriter::FileWriter(Client& client, std::string path, std::uint32_t replication, std::uint64_t block_size)
    : client_(client), path_(std::move(path)), lease_renewed_(PhaseClock::monotonic()) {
    defaults_ = client_.name_node.defaults();
    block_size_ = block_size == 0 ? defaults_.block_size : block_size;
    const std::size_t chunk = std::max<std::size_t>(defaults_.bytes_per_checksum, 1);
    if (block_size_ == 0 || block_size_ % chunk != 0) {
        throw Error(path_ + ": block size " + std::to_string(block_size_) +
                    ": expected a multiple of the checksums' chunk, " + std::to_string(chunk) + " bytes");
    }
    id_ =
        client_.name_node.create(path_, replication == 0 ? defaults_.replication : replication, block_size_);
}

void FileWriter::write(std::string_view bytes) {
    written_ += bytes.size();
    client_.traffic.written += bytes.size();
    while (!bytes.empty()) {
        if (!writer_) {
            begin_block();
        }
        const std::uint64_t room = block_size_ - writer_->written();
        const std::size_t full = std::min<std::uint64_t>(writer_->packet_bytes(), room);
        const std::size_t part = std::min(full - packet_.size(), bytes.size());
        packet_ += bytes.substr(0, part);
        bytes.remove_prefix(part);
        if (packet_.size() == full) {
            flush_packet();
            if (writer_->written() == block_size_) {
                end_block();
            }
        }
    }
}

void FileWriter::flush_packet() {
    try {
        writer_->send(packet_);
    } catch (const PipelineError& error) {
        leave_out(error);
        throw PipelineError(path_ + ": " + error.what(), error.place());
    }
    packet_.clear();
    if (PhaseClock::monotonic() - lease_renewed_ > kRenewEveryS) {
        client_.name_node.renew_lease();
        lease_renewed_ = PhaseClock::monotonic();
    }
}

void FileWriter::leave_out(const PipelineError& error) {
    for (const DataNode& node : block_->data_nodes) {
        if (place_of(node) == error.place()) {
            client_.failed.push_back(node);
        }
    }
}

/// A DataNode that does not take the block is left out of the next try.
void FileWriter::begin_block() {
    const std::optional<Block> previous = block_;
    for (int i = 1;; ++i) {
        block_ = client_.name_node.add_block(path_, id_, previous ? &*previous : nullptr, client_.failed);
        if (block_->data_nodes.empty()) {
            throw Error(path_ + ": there is no DataNode to write to");
        }
        try {
            writer_ = std::make_unique<BlockWriter>(*block_, client_.name_node.client(), defaults_);
            break;
        } catch (const PipelineError& error) {
            if (i == kPipelineTries) {
                throw Error(path_ + ": " + error.what());
            }
            client_.name_node.abandon(path_, id_, *block_);
            leave_out(error);
        }
    }
    ++client_.traffic.blocks_written;
    client_.traffic.blocks_first_local +=
        static_cast<std::uint64_t>(client_.is_local(block_->data_nodes.front()));
}

void FileWriter::end_block() {
    try {
        writer_->finish();
    } catch (const PipelineError& error) {
        leave_out(error);
        throw PipelineError(path_ + ": " + error.what(), error.place());
    }
    block_->bytes = writer_->written();
    writer_.reset();
}

void FileWriter::close() {
    if (writer_) {
        if (!packet_.empty()) {
            flush_packet();
        }
        end_block();
    }
    client_.name_node.complete(path_, id_, block_ ? &*block_ : nullptr);
}

}  // namespace kvasir::hdfs
