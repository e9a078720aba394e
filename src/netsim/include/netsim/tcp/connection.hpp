#pragma once
/// Both ends of a connection.

#include <array>
#include <cstdint>

#include "netsim/tcp/congestion.hpp"
#include "netsim/tcp/rtt.hpp"
#include "netsim/topology.hpp"
#include "netsim/transfers.hpp"

namespace netsim::tcp {

enum class ClientState : std::uint8_t { free, syn_sent, requesting, receiving, idle, closed };
enum class ServerState : std::uint8_t { listening, syn_received, established, closed };
enum class Loss : std::uint8_t { none, recovery, timeout };

/// Server end: sends data, in segments numbered over the whole connection. Names as in RFC 6675 and RFC 6582.
struct Sender {
    ServerState state = ServerState::listening;
    Loss loss = Loss::none;
    bool timing = false;          ///< a segment's round trip is being measured
    bool reduced = false;         ///< the next segment tells that an echo was reacted to
    std::uint8_t backoff = 0;     ///< timeouts since the last sample of the round trip (RFC 6298, 5.5 to 5.7)
    std::uint8_t duplicates = 0;  ///< duplicate acknowledgements in a row
    std::uint32_t una = 0;        ///< first segment not acknowledged
    std::uint32_t next = 0;       ///< first segment never sent
    std::uint32_t end = 0;        ///< first segment that does not exist yet
    std::uint32_t recover = 0;    ///< recovery ends when all before this is acknowledged
    std::uint32_t timed_out = 0;  ///< `una` at the last timeout
    std::uint32_t sacked = 0;     ///< segments above `una` known to have arrived
    std::uint32_t lost = 0;       ///< segments thought lost
    std::uint32_t resent = 0;     ///< those of them that have been sent again
    std::uint32_t highest = 0;    ///< end of the highest SACK block seen
    std::uint32_t judged = 0;     ///< below this, what is not sacked has been found lost
    std::uint32_t resend_from = 0;  ///< below this, what is lost has been sent again
    std::uint32_t timed = 0;        ///< the segment that is being timed
    std::uint32_t echo_until = 0;   ///< echoes of segments before this have been reacted to
    std::uint32_t window_end = 0;   ///< DCTCP: end of the present window
    std::uint32_t window_acked = 0;
    std::uint32_t window_marked = 0;
    Time timed_at = 0;
    Time last_sent = 0;
    Time deadline = kNever;  ///< of retransmission
    Time timer_at = kNever;  ///< of the pending event that looks at it
    Rtt rtt;
    Congestion congestion;

    explicit Sender(const TcpConfig& config) : congestion(config) {}
    /// Returns the number of segments thought to be in the network.
    std::uint32_t pipe() const {
        const std::uint32_t sent = next - una + resent;
        return sent > sacked + lost ? sent - sacked - lost : 0;  // without SACK, `sacked` is a guess
    }
};

/// Client end: sends requests, receives data.
struct Receiver {
    ClientState state = ClientState::free;
    bool echo = false;    ///< acknowledgements echo a mark
    bool marked = false;  ///< DCTCP: the last segment was marked
    bool again = false;   ///< the request was sent again
    std::uint8_t backoff = 0;
    std::uint32_t next = 0;     ///< first segment missing
    std::uint32_t end = 0;      ///< first segment that has not been asked for
    std::uint32_t early = 0;    ///< segments above `next` that have arrived
    std::uint32_t highest = 0;  ///< behind the last of them
    std::uint32_t pending = 0;  ///< segments in order that have not been acknowledged
    std::uint32_t requests = 0;
    Time sent_at = 0;        ///< of a SYN or request not answered
    Time deadline = kNever;  ///< of a SYN or request, or of a delayed acknowledgement
    Time timer_at = kNever;
    Rtt rtt;
};

struct Connection {
    int client = 0;
    int server = 0;
    std::uint32_t in_flight = 0;  ///< packets in the network
    std::uint32_t requested = 0;  ///< requests that the server has seen
    std::uint32_t next_idle = 0;  ///< list of idle connections of the same hosts
    std::uint32_t tail = 0;       ///< payload of the last segment of the transfer, bytes
    std::uint64_t bytes = 0;      ///< of the transfer
    std::uint64_t tag = 0;
    TransferDone* done = nullptr;
    Time begin = 0;
    Sender sender;
    Receiver receiver;

    explicit Connection(const TcpConfig& config) : sender(config) {}
};

/// Ways there and back; apart from the connections, because every hop looks at them.
struct alignas(64) Ways {
    std::array<Path, 2> path;  ///< client to server, server to client
};

}  // namespace netsim::tcp
