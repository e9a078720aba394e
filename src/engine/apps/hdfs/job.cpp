#include "job.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "kvasir/report.hpp"
#include "kvasir/wait.hpp"

namespace kvasir::jobs {
namespace {

using Json = nlohmann::json;

constexpr const char* kUnfinished = "/_temporary";
constexpr std::size_t kSmallestSplit = 1U << 20U;
constexpr std::size_t kSplitsPerRank = 4;  // so that ranks end at about the same time

/// The same text on all ranks: that of rank 0.
std::string broadcast(const Communicator& comm, std::string text) {
    int size = static_cast<int>(text.size());
    complete("MPI_Ibcast", MPI_Ibcast, &size, 1, MPI_INT, 0, comm.get());
    text.resize(static_cast<std::size_t>(size));
    complete("MPI_Ibcast", MPI_Ibcast, text.data(), size, MPI_CHAR, 0, comm.get());
    return text;
}

}  // namespace

double wall_time() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Job::Job(const Communicator& world, const JobOptions& options)
    : world_(world),
      options_(options),
      roles_(world, options.o_ranks, options.a_ranks, options.placement),
      client_(options.name_node, options.user),
      state_(world, options_.engine) {
    plan();
}

/// Plans on rank 0, with the NameNode, and broadcasts the plan.
void Job::plan() {
    std::vector<std::string> names;
    if (roles_.is_o()) {
        names = gather_texts(roles_.o(), Json(client_.own_names).dump());
    }
    std::string text;
    together([&] {
        if (world_.rank() == 0) {
            text = make_plan(names);
        }
    });
    const Json plan = Json::parse(broadcast(world_, text));
    for (const Json& file : plan.at("files")) {
        hdfs::FileStatus status;
        file.at(0).get_to(status.path);
        file.at(1).get_to(status.length);
        files_.push_back(status);
    }
    splits_of_all_ = plan.at("splits").size();
    for (const Json& split : plan.at("splits")) {
        if (roles_.is_o() && split.at(3) == roles_.o().rank()) {
            splits_.push_back({split.at(0), split.at(1), split.at(2), {}});
        }
    }
}

std::string Job::make_plan(const std::vector<std::string>& names_of_o) {
    hdfs::NameNode& name_node = client_.name_node;
    const auto files = hdfs::input_files(name_node, {options_.input});
    if (name_node.find(options_.output, nullptr)) {
        throw Error("output folder exists already: hdfs:" + options_.output +
                    "; remove it or give another one");
    }
    std::uint64_t total = 0;
    for (const auto& file : files) {
        total += file.length;
    }
    std::uint64_t most = options_.split;
    if (most == 0) {
        const auto ranks = static_cast<std::uint64_t>(roles_.o_ranks());
        most = std::max<std::uint64_t>(total / (ranks * kSplitsPerRank) + 1, kSmallestSplit);
    }
    std::vector<hdfs::Split> splits;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (files[i].length != 0) {
            const auto cut = hdfs::cut(i, name_node.blocks(files[i].path, 0, files[i].length), most);
            splits.insert(splits.end(), cut.begin(), cut.end());
        }
    }
    std::vector<std::vector<std::string>> hosts;
    hosts.reserve(names_of_o.size());
    for (const std::string& names : names_of_o) {
        hosts.push_back(Json::parse(names).get<std::vector<std::string>>());
    }
    Json plan = {{"files", Json::array()}, {"splits", Json::array()}};
    for (const auto& file : files) {
        plan["files"].push_back({file.path, file.length});
    }
    const auto given = hdfs::assign(splits, hosts);
    for (std::size_t rank = 0; rank < given.size(); ++rank) {
        for (const std::size_t i : given[rank]) {
            plan["splits"].push_back({splits[i].file, splits[i].begin, splits[i].end, rank});
        }
    }
    name_node.make_folder(options_.output + kUnfinished);  // last: a job that cannot be planned leaves none
    made_output_ = true;
    return plan.dump();
}

std::string Job::part_name() const {
    char name[32];
    (void)std::snprintf(name, sizeof(name), "/part-r-%05d", roles_.a().rank());
    return name;
}

void Job::write_parts(const std::function<void(hdfs::ByteSink&)>& write) {
    together([&] {
        if (!roles_.is_a()) {
            return;
        }
        const double begin = wall_time();
        PhaseScope phase(state_.clock(), Phase::reduce);
        write_part(options_.output + kUnfinished + part_name(), write);
        note("reduce", "reduce", begin);
    });
    together([&] {
        if (roles_.is_a()) {
            client_.name_node.rename(options_.output + kUnfinished + part_name(),
                                     options_.output + part_name());
        }
    });
    together([&] {
        if (world_.rank() == 0) {
            client_.name_node.remove(options_.output + kUnfinished);
            hdfs::FileWriter(client_, options_.output + "/_SUCCESS", options_.replication, 0).close();
        }
    });
}

/// Writes a part again, to other DataNodes, when one fails: it is still in memory.
void Job::write_part(const std::string& path, const std::function<void(hdfs::ByteSink&)>& write) {
    constexpr int tries = 3;
    for (int i = 1;; ++i) {
        try {
            hdfs::FileWriter file(client_, path, options_.replication, options_.block_size);
            write(file);
            file.close();
            return;
        } catch (const hdfs::PipelineError&) {
            if (i == tries) {
                throw;
            }
            client_.name_node.remove(path);
        }
    }
}

void Job::clean_up() noexcept {
    if (!made_output_) {
        return;
    }
    try {
        client_.name_node.remove(options_.output);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): what made the job fail is told already
    }
}

std::uint64_t Job::sum_over_ranks(std::uint64_t mine) const { return kvasir::sum_over_ranks(world_, mine); }

}  // namespace kvasir::jobs
