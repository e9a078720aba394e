#include "kvasir/detail/ranges.hpp"

#include <algorithm>
#include <cstring>

#include "kvasir/report.hpp"
#include "kvasir/wait.hpp"

namespace kvasir::detail {
namespace {

void append_bytes(std::string& to, std::string_view bytes) {
    const std::uint64_t size = bytes.size();
    to.append(reinterpret_cast<const char*>(&size), sizeof(size));
    to += bytes;
}

std::string take_bytes(const std::string& from, std::size_t& at) {
    std::uint64_t size = 0;
    std::memcpy(&size, from.data() + at, sizeof(size));
    at += sizeof(size) + size;
    return from.substr(at - size, size);
}

std::string packed_heads(const std::vector<RecordHead>& heads) {
    std::string text;
    for (const auto& [key, value] : heads) {
        append_bytes(text, key);
        append_bytes(text, value);
    }
    return text;
}

struct WeightedHead {
    RecordHead head;
    std::uint64_t weight;
};

/// Cuts at equal shares of the weights.
std::vector<RecordHead> cuts_of_heads(std::vector<WeightedHead> heads, std::size_t parts) {
    std::sort(heads.begin(), heads.end(),
              [](const WeightedHead& a, const WeightedHead& b) { return a.head < b.head; });
    std::uint64_t total = 0;
    for (const WeightedHead& head : heads) {
        total += head.weight;
    }
    std::vector<RecordHead> cuts;
    std::uint64_t before = 0;
    for (const WeightedHead& head : heads) {
        while (cuts.size() + 1 < parts && before * parts >= total * (cuts.size() + 1)) {
            cuts.push_back(head.head);
        }
        before += head.weight;
    }
    return cuts;
}

}  // namespace

Ranges agree_on_ranges(const Communicator& comm, const Sample& own) {
    std::string mine;
    append_bytes(mine, std::to_string(own.weight));
    mine += packed_heads(own.heads);
    const std::vector<std::string> all = gather_texts(comm, mine);
    std::string cuts;
    if (comm.rank() == 0) {
        std::vector<WeightedHead> heads;
        for (const std::string& text : all) {
            std::size_t at = 0;
            const std::uint64_t weight = std::stoull(take_bytes(text, at));
            while (at != text.size()) {
                std::string key = take_bytes(text, at);
                heads.push_back({{std::move(key), take_bytes(text, at)}, weight});
            }
        }
        cuts = packed_heads(cuts_of_heads(std::move(heads), static_cast<std::size_t>(comm.size())));
    }
    std::uint64_t bytes = cuts.size();
    complete("MPI_Ibcast", MPI_Ibcast, &bytes, 1, MPI_UINT64_T, 0, comm.get());
    cuts.resize(bytes);
    complete("MPI_Ibcast", MPI_Ibcast, cuts.data(), static_cast<int>(bytes), MPI_CHAR, 0, comm.get());
    std::vector<RecordHead> heads;
    for (std::size_t at = 0; at != cuts.size();) {
        std::string key = take_bytes(cuts, at);
        heads.emplace_back(std::move(key), take_bytes(cuts, at));
    }
    return Ranges(std::move(heads));
}

}  // namespace kvasir::detail
