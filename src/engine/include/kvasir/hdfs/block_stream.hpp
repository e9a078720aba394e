#pragma once
// Blocks of HDFS, read from and written to DataNodes by their data transfer protocol (version 28): packets of
// data and checksums.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kvasir/hdfs/namenode.hpp"

namespace kvasir::hdfs {

/// Reads `length` bytes of a block from `offset` on, from one of its DataNodes. Throws Error that names the
/// DataNode when that fails; also for a wrong checksum.
class BlockReader {
  public:
    BlockReader(const Block& block, const DataNode& node, const std::string& client, std::uint64_t offset,
                std::uint64_t length);

    /// Returns the next bytes, valid until the next call: some of a packet; none at the end.
    std::string_view next();

  private:
    void read_packet();
    void answer();

    Connection connection_;
    std::uint64_t at_;  ///< in the block
    std::uint64_t end_;
    ChecksumKind kind_ = ChecksumKind::none;
    std::size_t chunk_ = 0;
    std::string packet_;  ///< checksums, then data
    std::string_view data_;
};

/// Failure of a DataNode while a block was written.
class PipelineError : public Error {
  public:
    PipelineError(const std::string& what, std::string place) : Error(what), place_(std::move(place)) {}
    /// Returns the address, "ip:port", of the DataNode to exclude from the next try.
    const std::string& place() const { return place_; }

  private:
    std::string place_;
};

/// Returns the address of a DataNode, "ip:port".
std::string place_of(const DataNode& node);

/// Writes one block through a pipeline of its DataNodes. Throws PipelineError.
class BlockWriter {
  public:
    BlockWriter(const Block& block, const std::string& client, const Defaults& defaults);

    /// Returns the data capacity of a packet, bytes.
    std::size_t packet_bytes() const { return packet_bytes_; }
    /// Sends one packet: whole chunks, unless it is the last one with data.
    void send(std::string_view data);
    /// Closes the block: returns when all DataNodes have acknowledged all of it.
    void finish();
    std::uint64_t written() const { return written_; }

  private:
    template <class Action>
    void guarded(Action&& action);
    void set_up(const Block& block, const std::string& client);
    void send_packet(std::string_view data, bool last);
    void take_ack();

    std::vector<std::string> places_;  ///< of the pipeline
    std::optional<Connection> connection_;
    ChecksumKind kind_;
    std::size_t chunk_;
    std::size_t packet_bytes_;
    std::uint64_t written_ = 0;
    std::int64_t sequence_ = 0;
    std::int64_t acknowledged_ = 0;  ///< packets
    std::string packet_;
};

}  // namespace kvasir::hdfs
