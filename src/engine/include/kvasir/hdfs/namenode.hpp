#pragma once
// Client of the NameNode by Hadoop's RPC (version 9, authentication "simple"), for Hadoop 2 and 3.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kvasir/hdfs/checksum.hpp"
#include "kvasir/hdfs/connection.hpp"
#include "kvasir/hdfs/wire.hpp"

namespace kvasir::hdfs {

/// Status of a file or folder. `path` is absolute.
struct FileStatus {
    std::string path;
    bool folder = false;
    std::uint64_t length = 0;
    std::uint64_t id = 0;
    std::uint64_t block_size = 0;
};

/// DataNode that holds a block, or is to.
struct DataNode {
    std::string ip;
    std::string name;
    std::uint16_t port = 0;
    std::string message;  ///< as the NameNode describes it, to be handed on
};

/// Block of a file with its locations.
struct Block {
    std::string pool;
    std::uint64_t id = 0;
    std::uint64_t generation = 0;
    std::uint64_t bytes = 0;
    std::uint64_t offset = 0;          ///< in the file
    std::vector<DataNode> data_nodes;  ///< nearest first
    std::string token;                 ///< as the NameNode gave it
    std::vector<std::uint64_t> storage_types;
    std::vector<std::string> storage_ids;

    /// ExtendedBlockProto.
    Message identity() const;
};

/// The NameNode's defaults for new files.
struct Defaults {
    std::uint64_t block_size = 0;
    std::uint32_t bytes_per_checksum = 512;
    std::uint32_t replication = 1;
    ChecksumKind checksum = ChecksumKind::crc32c;
};

/// Error reported by the NameNode.
class RemoteError : public Error {
  public:
    RemoteError(const std::string& what, std::string exception)
        : Error(what), exception_(std::move(exception)) {}
    /// Returns the name of the Java exception without its package.
    const std::string& exception() const { return exception_; }

  private:
    std::string exception_;
};

/// Client of the NameNode. All calls throw Error that names the NameNode, the operation and the path.
class NameNode {
  public:
    NameNode(Address address, std::string user);

    const std::string& client() const { return client_; }

    /// Looks up `path`; returns whether it exists. `status` may be null.
    bool find(const std::string& path, FileStatus* status);
    /// Lists a folder, sorted by name; of a file, the file itself.
    std::vector<FileStatus> list(const std::string& path);
    /// Returns the blocks of a file that hold some of `length` bytes from `offset` on; the NameNode
    /// sorts their DataNodes for this host.
    std::vector<Block> blocks(const std::string& path, std::uint64_t offset, std::uint64_t length);
    Defaults defaults();

    void make_folder(const std::string& path);
    void remove(const std::string& path);
    void rename(const std::string& from, const std::string& to);

    /// Creates a file for writing; returns its id.
    std::uint64_t create(const std::string& path, std::uint32_t replication, std::uint64_t block_size);
    /// Allocates a further block of a file, on other DataNodes than `excluded`. `previous` is null for the
    /// first one.
    Block add_block(const std::string& path, std::uint64_t file, const Block* previous,
                    const std::vector<DataNode>& excluded);
    /// Abandons a block that could not be written.
    void abandon(const std::string& path, std::uint64_t file, const Block& block);
    /// Closes a file; waits until the DataNodes have reported the last block.
    void complete(const std::string& path, std::uint64_t file, const Block* last);
    void renew_lease();

  private:
    std::string call(const char* method, const std::string& path, const Message& request);
    std::string exchange(const char* method, const std::string& path, const Message& request);
    void connect();

    Address address_;
    std::string user_;
    std::string client_;  ///< name of the holder of leases
    std::string id_;      ///< of this client, 16 bytes
    std::unique_ptr<Connection> connection_;
    double last_used_ = 0;
    std::int32_t calls_ = 0;
};

/// Parsers of the NameNode's messages, for tests.
FileStatus parse_status(std::string_view message, const std::string& folder);
Block parse_block(std::string_view message);

}  // namespace kvasir::hdfs
