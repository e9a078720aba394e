#include "kvasir/detail/balancer.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "kvasir/wait.hpp"

namespace kvasir::detail {

std::vector<int> balanced_owners(std::vector<int> owners, const std::vector<std::uint64_t>& load, int ranks,
                                 double factor) {
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(ranks));
    for (std::size_t bin = 0; bin < owners.size(); ++bin) {
        sums[static_cast<std::size_t>(owners[bin])] += load[bin];
    }
    const double mean = static_cast<double>(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0})) /
                        static_cast<double>(ranks);
    // Every move lowers the sum of squares, so that this ends; the bound only guards against very many small
    // moves.
    for (std::size_t moves = 0; moves < 4 * owners.size(); ++moves) {
        const auto fullest = std::max_element(sums.begin(), sums.end());
        const auto emptiest = std::min_element(sums.begin(), sums.end());
        if (static_cast<double>(*fullest) <= factor * mean) {
            break;
        }
        const int from = static_cast<int>(fullest - sums.begin());
        // The largest bin that still leaves both ranks below what the fullest has now.
        std::size_t best = owners.size();
        for (std::size_t bin = 0; bin < owners.size(); ++bin) {
            if (owners[bin] == from && load[bin] != 0 && *emptiest + load[bin] < *fullest &&
                (best == owners.size() || load[bin] > load[best])) {
                best = bin;
            }
        }
        if (best == owners.size()) {
            break;
        }
        owners[best] = static_cast<int>(emptiest - sums.begin());
        *fullest -= load[best];
        *emptiest += load[best];
    }
    return owners;
}

Balancer::Balancer(MPI_Comm parent, Router& router, const Options& options)
    : comm_(parent),
      router_(router),
      factor_(options.balance_factor),
      split_(options.balance == Balance::split),
      due_(options.balance_first) {
    epochs_.reserve(kEpochs);  // buffers of outstanding calls must not move
}

void Balancer::contribute() {
    Epoch& epoch = epochs_.emplace_back();
    epoch.mine = router_.sent();
    std::vector<FrequentHashes::Entry> top = router_.frequent().entries();
    std::sort(top.begin(), top.end(), [](const auto& a, const auto& b) {
        return a.count != b.count ? a.count > b.count : a.hash < b.hash;
    });
    top.resize(kCandidates);
    epoch.mine.push_back(router_.frequent().seen());
    for (const FrequentHashes::Entry& entry : top) {
        epoch.mine.push_back(entry.hash);
        epoch.mine.push_back(entry.count);
    }
    epoch.all.resize(epoch.mine.size() * static_cast<std::size_t>(comm_.size()));
    const int words = static_cast<int>(epoch.mine.size());
    check_mpi(MPI_Iallgather(epoch.mine.data(), words, MPI_UINT64_T, epoch.all.data(), words, MPI_UINT64_T,
                             comm_.get(), &epoch.request),
              "MPI_Iallgather");
}

void Balancer::poll(std::uint64_t records_sent) {
    while (epochs_.size() + 1 < kEpochs && records_sent >= due_) {
        contribute();
        due_ *= 4;
    }
    while (applied_ < epochs_.size()) {
        int done = 0;
        check_mpi(MPI_Test(&epochs_[applied_].request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (done == 0) {
            return;
        }
        apply(epochs_[applied_++].all);
    }
}

void Balancer::end_of_map() {
    while (epochs_.size() < kEpochs) {
        contribute();
    }
}

void Balancer::finish() {
    for (; applied_ < epochs_.size(); ++applied_) {
        wait(epochs_[applied_].request, "MPI_Iallgather");
        apply(epochs_[applied_].all);
    }
}

void Balancer::apply(const std::vector<std::uint64_t>& all) {
    const std::size_t words = all.size() / static_cast<std::size_t>(comm_.size());
    std::vector<std::uint64_t> load(router_.owners().size());
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(comm_.size()); ++rank) {
        for (std::size_t bin = 0; bin < load.size(); ++bin) {
            load[bin] += all[rank * words + bin];
        }
    }
    if (split_) {
        split_frequent(all, load);
    }
    router_.set_owners(balanced_owners(router_.owners(), load, comm_.size(), factor_));
}

void Balancer::split_frequent(const std::vector<std::uint64_t>& all, std::vector<std::uint64_t>& load) {
    constexpr std::uint64_t enough = 16;  // sightings that are more than chance
    const auto ranks = static_cast<std::size_t>(comm_.size());
    const std::size_t words = all.size() / ranks;
    const std::size_t bins = router_.owners().size();
    std::uint64_t seen = 0;
    std::map<std::uint64_t, std::uint64_t> counts;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        const std::uint64_t* at = all.data() + rank * words + bins;
        seen += *at++;
        for (std::size_t i = 0; i < kCandidates; ++i, at += 2) {
            counts[at[0]] += at[1];
        }
    }
    for (const auto& [hash, count] : counts) {
        // A key is worth splitting when it alone burdens its rank by an eighth of the mean or more.
        if (count >= enough && count * 8 * ranks >= seen) {
            router_.split(hash);
        }
    }
    // Not the exact numbers of split records: when a rank began to split depends on time, the sample does
    // not.
    const auto records = static_cast<double>(std::accumulate(load.begin(), load.end(), std::uint64_t{0}));
    for (const auto& [hash, count] : counts) {
        if (router_.is_split(hash)) {
            const double share = static_cast<double>(count) / static_cast<double>(seen);
            std::uint64_t& burden = load[router_.bin(hash)];
            burden -= std::min(burden, static_cast<std::uint64_t>(share * records));
        }
    }
}

}  // namespace kvasir::detail
