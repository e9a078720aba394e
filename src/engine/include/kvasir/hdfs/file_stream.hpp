#pragma once
// Byte streams from and to files of HDFS.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kvasir/hdfs/block_stream.hpp"
#include "kvasir/hdfs/bytes.hpp"
#include "kvasir/hdfs/namenode.hpp"

namespace kvasir::hdfs {

/// Counters of the bytes moved, and of those that did not leave the host.
struct Traffic {
    std::uint64_t read = 0;
    std::uint64_t read_locally = 0;
    std::uint64_t written = 0;  ///< of one replica
    std::uint64_t blocks_written = 0;
    std::uint64_t blocks_first_local = 0;  ///< whose first replica is on this host
};

/// Connection of this process to a file system.
struct Client {
    NameNode name_node;
    std::vector<std::string> own_names;  ///< what HDFS may call this host
    Traffic traffic;
    std::vector<DataNode> failed;  ///< DataNodes that nothing more is written to

    Client(const Address& address, const std::string& user);
    bool is_local(const DataNode& node) const;
};

/// Reads a file from `begin` on. Bytes up to `expected` (where the reader is likely to stop) are asked for in
/// one go per block, those behind it piecemeal. When a DataNode fails, another one that has the block takes
/// its place; Error when there is none.
class FileReader : public ByteSource {
  public:
    FileReader(Client& client, const FileStatus& file, std::uint64_t begin, std::uint64_t expected);

    /// Reads up to `most` bytes to `to`; fewer, and then 0, only at the end of the file.
    std::size_t read(char* to, std::size_t most) override;

  private:
    bool more();
    void open();
    void failed(const Error& error);
    const Block& block_here();
    const DataNode& choose(const Block& block) const;

    Client& client_;
    FileStatus file_;
    std::uint64_t at_;
    std::uint64_t expected_;
    std::uint64_t piece_;  ///< to ask for behind `expected_`
    std::vector<Block> blocks_;
    std::vector<std::pair<std::string, std::string>> failures_;  ///< DataNodes that failed, and how
    std::optional<BlockReader> reader_;
    std::string from_;  ///< the DataNode it reads from
    bool local_ = false;
    std::string_view rest_;
};

/// Writes a new file, which readers see only after close(). Throws PipelineError when a DataNode fails within
/// a block: the file is lost, but may be written anew, to other DataNodes.
class FileWriter : public ByteSink {
  public:
    /// `replication` and `block_size` 0: the NameNode's defaults.
    FileWriter(Client& client, std::string path, std::uint32_t replication, std::uint64_t block_size);

    void write(std::string_view bytes) override;
    void close();
    std::uint64_t written() const { return written_; }

  private:
    void flush_packet();
    void begin_block();
    void leave_out(const PipelineError& error);
    void end_block();

    Client& client_;
    std::string path_;
    Defaults defaults_;
    std::uint64_t block_size_;
    std::uint64_t id_;
    std::uint64_t written_ = 0;
    std::optional<Block> block_;
    std::unique_ptr<BlockWriter> writer_;
    std::string packet_;
    double lease_renewed_;
};

}  // namespace kvasir::hdfs
