#pragma once
// TCP connections to daemons of HDFS, with timeouts and errors that name the daemon.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kvasir/error.hpp"

namespace kvasir::hdfs {

/// Address of a daemon.
struct Address {
    std::string host;
    std::uint16_t port = 0;

    std::string text() const { return host + ":" + std::to_string(port); }
};

/// Parses "host:port" or "hdfs://host:port". Throws Error when `text` is neither.
Address parse_address(std::string_view text);

class Connection {
  public:
    /// Connects; `daemon` is its name in errors, such as "NameNode n0:8020". Throws Error.
    Connection(const Address& address, std::string daemon);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// All of these throw Error when the daemon closes the connection, or after a minute without progress.
    void send(std::string_view bytes);
    void read(char* to, std::size_t bytes);
    std::uint64_t read_varint();
    std::string read_delimited();
    /// Returns whether read() would find something without waiting.
    bool readable() const;

    /// Returns an Error with the daemon's name in front.
    Error error(const std::string& what) const { return Error{daemon_ + ": " + what}; }

  private:
    std::size_t receive(char* to, std::size_t bytes);

    std::string daemon_;
    int socket_ = -1;
    std::vector<char> buffer_;  ///< received, not read yet: [begin_, end_)
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

/// Returns all addresses of this machine's interfaces, and its name: how HDFS may refer to this host.
std::vector<std::string> own_names();

}  // namespace kvasir::hdfs
