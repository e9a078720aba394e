#include "kvasir/detail/alltoall.hpp"

#include <algorithm>
#include <climits>
#include <numeric>

#include "kvasir/wait.hpp"

namespace kvasir::detail {
namespace {

/// Counts and displacements of one call: words from `done` on, at most `limit` of each message.
struct CallLayout {
    std::vector<int> counts;
    std::vector<int> places;

    explicit CallLayout(std::size_t ranks) : counts(ranks), places(ranks) {}

    /// Returns the sum of the counts.
    std::size_t cut(const std::vector<std::size_t>& words, std::size_t done, std::size_t limit) {
        std::size_t sum = 0;
        for (std::size_t r = 0; r < words.size(); ++r) {
            const std::size_t left = words[r] > done ? words[r] - done : 0;
            counts[r] = static_cast<int>(std::min(left, limit));
            places[r] = static_cast<int>(sum);
            sum += static_cast<std::size_t>(counts[r]);
        }
        return sum;
    }
};

}  // namespace

std::uint64_t alltoallv(const Communicator& comm, const Outgoing& outgoing, Incoming& incoming,
                        std::size_t most, std::size_t limit, MemoryMeter& meter) {
    const auto ranks = static_cast<std::size_t>(comm.size());
    const std::size_t largest = static_cast<std::size_t>(INT_MAX) / ranks;
    limit = limit == 0 ? largest : std::min(limit, largest);
    const std::size_t total = std::accumulate(incoming.words.begin(), incoming.words.end(), std::size_t{0});
    if (incoming.buffer.words() < total) {
        incoming.buffer = WordBuffer();
        incoming.buffer = WordBuffer(meter, total);
    }

    CallLayout send(ranks);
    CallLayout receive(ranks);
    const bool one_call = most <= limit;
    // Partitions of one send buffer are sent from where they lie; this needs displacements that fit into an
    // int.
    bool in_place = one_call && outgoing.base != nullptr;
    for (std::size_t r = 0; in_place && r < ranks; ++r) {
        in_place = outgoing.data[r] - outgoing.base <= INT_MAX;
    }
    WordBuffer packed;
    WordBuffer pieces;
    std::uint64_t calls = 0;
    for (std::size_t done = 0; done == 0 || done < most; done += limit) {
        const std::size_t sending = send.cut(outgoing.words, done, limit);
        const std::size_t receiving = receive.cut(incoming.words, done, limit);
        const std::uint64_t* from = nullptr;
        if (in_place) {
            from = outgoing.base;
            for (std::size_t r = 0; r < ranks; ++r) {
                send.places[r] = static_cast<int>(outgoing.data[r] - outgoing.base);
            }
        } else {
            packed = packed.words() < sending ? WordBuffer(meter, sending) : std::move(packed);
            for (std::size_t r = 0; r < ranks; ++r) {
                std::copy_n(outgoing.data[r] + std::min(done, outgoing.words[r]), send.counts[r],
                            packed.data() + send.places[r]);
            }
            from = packed.data();
        }
        std::uint64_t* to = incoming.buffer.data();
        if (!one_call) {
            pieces = pieces.words() < receiving ? WordBuffer(meter, receiving) : std::move(pieces);
            to = pieces.data();
        }
        complete("MPI_Ialltoallv", MPI_Ialltoallv, from, send.counts.data(), send.places.data(), MPI_UINT64_T,
                 to, receive.counts.data(), receive.places.data(), MPI_UINT64_T, comm.get());
        ++calls;
        if (!one_call) {
            std::size_t place = 0;
            for (std::size_t r = 0; r < ranks; ++r) {
                std::copy_n(pieces.data() + receive.places[r], receive.counts[r],
                            incoming.buffer.data() + place + std::min(done, incoming.words[r]));
                place += incoming.words[r];
            }
        }
    }
    return calls;
}

std::uint64_t alltoallv(const Communicator& comm, const Outgoing& outgoing, Incoming& incoming,
                        std::size_t limit, MemoryMeter& meter) {
    const auto ranks = static_cast<std::size_t>(comm.size());
    const std::size_t longest = *std::max_element(outgoing.words.begin(), outgoing.words.end());
    std::vector<std::size_t> lengths(2 * ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
        lengths[2 * r] = outgoing.words[r];
        lengths[2 * r + 1] = longest;
    }
    std::vector<std::size_t> theirs(2 * ranks);
    complete("MPI_Ialltoall", MPI_Ialltoall, lengths.data(), 2, MPI_UINT64_T, theirs.data(), 2, MPI_UINT64_T,
             comm.get());
    std::size_t most = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
        incoming.words[r] = theirs[2 * r];
        most = std::max(most, theirs[2 * r + 1]);
    }
    return alltoallv(comm, outgoing, incoming, most, limit, meter);
}

}  // namespace kvasir::detail
