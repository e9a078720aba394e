#pragma once
/// Interface of a network to the job layer; tests put an ideal network behind it.

#include <cstdint>

#include "netsim/time.hpp"

namespace netsim {

/// Listener for completed transfers: the client has received the last byte in order.
struct TransferDone {
    virtual void on_transfer(Time now, std::uint64_t tag) = 0;

  protected:
    ~TransferDone() = default;
};

/// Transfers between hosts 0..n-1.
class Transfers {
  public:
    /// Fetches `bytes` bytes (0 is allowed) from the server. `to.on_transfer(time, tag)` is called once,
    /// never from within this call. `to` must outlive the transfer.
    virtual void fetch(Time now, int client, int server, std::uint64_t bytes, TransferDone& to,
                       std::uint64_t tag) = 0;

  protected:
    ~Transfers() = default;
};

}  // namespace netsim
