#pragma once
/// What the job layer needs of a network, so that it can be tested with an ideal one.

#include <cstdint>

#include "netsim/time.hpp"

namespace netsim {

/// Is told when a transfer has ended: the client has received the last byte in order.
struct TransferDone {
    virtual void on_transfer(Time now, std::uint64_t tag) = 0;

  protected:
    ~TransferDone() = default;
};

/// Transfers between hosts 0..n-1.
class Transfers {
  public:
    /// The client asks the server, which answers with `bytes` bytes (0 is allowed). `to.on_transfer(time,
    /// tag)` is called once, never from within this call. `to` must outlive the transfer.
    virtual void fetch(Time now, int client, int server, std::uint64_t bytes, TransferDone& to,
                       std::uint64_t tag) = 0;

  protected:
    ~Transfers() = default;
};

}  // namespace netsim
