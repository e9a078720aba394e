#include "reference.hpp"

#include <cmath>
#include <stdexcept>

#include "kvasir/wait.hpp"

namespace kvasir::test {
namespace {

std::string random_bytes(std::mt19937_64& random, std::size_t length) {
    std::string bytes(length, '\0');
    for (char& byte : bytes) {
        byte = static_cast<char>(random() % 256);
    }
    return bytes;
}

std::string random_key(Kind kind, std::size_t number, std::mt19937_64& random) {
    switch (kind) {
        case Kind::skewed:  // about half of the records have one of three keys
            return "key" + std::to_string(static_cast<std::uint64_t>(
                               std::exp(static_cast<double>(random() % 700) / 100)));
        case Kind::equal:
            return "the same";
        case Kind::distinct:
            return "d" + std::to_string(number);
        case Kind::lengths: {  // keys of one length differ in one byte only
            std::string key(random() % 40, 'k');
            if (!key.empty()) {
                key[random() % key.size()] = static_cast<char>(random() % 3);
            }
            return key;
        }
        case Kind::empty_keys:
            return random() % 2 == 0 ? "" : random_bytes(random, random() % 2);
        case Kind::long_keys:
            return std::string(random() % 50 == 0 ? 70'000 + random() % 3 : 100, 'L') +
                   std::to_string(random() % 5);
        case Kind::none:
            break;
    }
    return "";
}

}  // namespace

std::vector<Record> random_records(Kind kind, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Record> records(kind == Kind::none ? 0 : kind == Kind::long_keys ? 300 : 2000);
    for (std::size_t i = 0; i < records.size(); ++i) {
        records[i] = {random_key(kind, i, random), random_bytes(random, random() % 21)};
    }
    return records;
}

std::vector<Record> share_of(const std::vector<Record>& all, const Communicator& comm) {
    // Triangular: rank r of R gets the records whose number modulo (R-1)R/2 falls in a share that shrinks
    // with r.
    const auto ranks = static_cast<std::size_t>(comm.size());
    if (ranks == 1) {
        return all;
    }
    const std::size_t cycle = ranks * (ranks - 1) / 2;
    std::vector<Record> own;
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::size_t place = i % cycle;
        std::size_t rank = 0;
        while (place >= ranks - 1 - rank) {
            place -= ranks - 1 - rank;
            ++rank;
        }
        if (rank == static_cast<std::size_t>(comm.rank())) {
            own.push_back(all[i]);
        }
    }
    return own;
}

std::vector<Options> all_options(bool combiner) {
    std::vector<Options> all;
    for (const Strategy strategy : {Strategy::partition_full, Strategy::by_fill, Strategy::adaptive}) {
        for (const Pipeline pipeline : {Pipeline::pipelined, Pipeline::staged}) {
            for (const Balance balance : {Balance::hash, Balance::repartition, Balance::split}) {
                for (const CombineWhere combine :
                     {CombineWhere::none, CombineWhere::before, CombineWhere::after, CombineWhere::both}) {
                    if (!combiner && (combine != CombineWhere::none || balance == Balance::split)) {
                        continue;
                    }
                    if (strategy == Strategy::adaptive && balance == Balance::repartition) {
                        continue;  // by_fill's, and it takes long
                    }
                    Options options;
                    options.strategy = strategy;
                    options.pipeline = pipeline;
                    options.balance = balance;
                    options.combine = combine;
                    options.combine_switch = all.size() % 2 == 0;
                    options.send_buffer = 3000 + 1000 * (all.size() % 7);
                    options.message_words = all.size() % 3 == 0 ? 7 : 0;
                    options.balance_first = 50;
                    options.balance_factor = 1.01;
                    all.push_back(options);
                }
            }
        }
    }
    return all;
}

std::string describe(const Options& o) {
    return name_of(o.strategy) + ", combine " + name_of(o.combine) +
           (o.combine_switch ? " with switch, " : ", ") + name_of(o.balance) + ", " + name_of(o.pipeline) +
           ", buffer " + std::to_string(o.send_buffer) + ", message " + std::to_string(o.message_words) +
           ", " + name_of(o.input) + " input";
}

Output collect(const Communicator& comm, const std::vector<Record>& own) {
    std::string packed;
    const auto pack = [&](const std::string& text) {
        const std::uint64_t size = text.size();
        packed.append(reinterpret_cast<const char*>(&size), sizeof(size));
        packed += text;
    };
    for (const auto& [key, value] : own) {
        pack(key);
        pack(value);
    }
    int mine = static_cast<int>(packed.size());
    std::vector<int> sizes(static_cast<std::size_t>(comm.size()));
    complete("MPI_Iallgather", MPI_Iallgather, &mine, 1, MPI_INT, sizes.data(), 1, MPI_INT, comm.get());
    std::vector<int> places(sizes.size());
    int total = 0;
    for (std::size_t r = 0; r < sizes.size(); ++r) {
        places[r] = total;
        total += sizes[r];
    }
    std::string all(static_cast<std::size_t>(total), '\0');
    complete("MPI_Iallgatherv", MPI_Iallgatherv, packed.data(), mine, MPI_CHAR, all.data(), sizes.data(),
             places.data(), MPI_CHAR, comm.get());
    Output output;
    const auto unpack = [&](std::size_t& at) {
        std::uint64_t size = 0;
        all.copy(reinterpret_cast<char*>(&size), sizeof(size), at);
        std::string text = all.substr(at + sizeof(size), size);
        at += sizeof(size) + size;
        return text;
    };
    for (std::size_t at = 0; at < all.size();) {
        std::string key = unpack(at);
        std::string value = unpack(at);
        if (!output.emplace(std::move(key), std::move(value)).second) {
            throw std::logic_error("a key is on two ranks, or twice on one");
        }
    }
    return output;
}

}  // namespace kvasir::test
