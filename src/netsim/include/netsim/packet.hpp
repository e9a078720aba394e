#pragma once
/// Packet as stored in the ring of a link.

#include <array>
#include <cstdint>

#include "netsim/time.hpp"

namespace netsim {

/// Bits of Packet::flags.
enum PacketFlags : std::uint8_t {
    kSyn = 1,        ///< opens a connection (from the server: answers that)
    kAck = 2,        ///< `number` is a cumulative acknowledgement
    kData = 4,       ///< a segment
    kFin = 8,        ///< the sender has nothing more to send
    kCapable = 16,   ///< a port may mark it (ECT)
    kMarked = 32,    ///< a port has marked it (CE)
    kEcho = 64,      ///< an acknowledgement: marks have arrived (ECE)
    kReduced = 128,  ///< a segment: the sender has reacted to an echo (CWR)
};

/// A range of segments received out of order: `begin` segments behind the cumulative acknowledgement.
struct SackBlock {
    std::uint16_t begin = 0;
    std::uint16_t length = 0;  ///< 0: no block
};

/// Half a cache line; copied from ring to ring on its way.
struct Packet {
    Time arrives = 0;  ///< at the far end of its link; until its transmission is planned: at the queue
    std::uint32_t connection = 0;
    std::uint32_t number = 0;  ///< of the segment; of an acknowledgement, the first segment that is missing
    std::uint16_t bytes = 0;   ///< of the frame, check sum included, preamble and gap not
    std::uint8_t flags = 0;
    std::uint8_t hop = 0;  ///< links behind it, and kFromServer
    std::array<SackBlock, 3> sack{};
};
static_assert(sizeof(Packet) == 32);

inline constexpr std::uint8_t kFromServer = 128;

/// Frame sizes: Ethernet head and check sum, IP and TCP head, options.
inline constexpr std::uint32_t kPreambleAndGap = 20;
inline constexpr std::uint32_t kSmallestFrame = 64;
inline constexpr std::uint32_t kHeads = 18 + 20 + 20;
constexpr std::uint16_t frame_bytes(std::uint32_t payload, std::uint32_t options = 0) {
    const std::uint32_t bytes = kHeads + payload + options;
    return static_cast<std::uint16_t>(bytes < kSmallestFrame ? kSmallestFrame : bytes);
}

}  // namespace netsim
