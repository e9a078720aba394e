#include "netsim/trace.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "netsim/error.hpp"

namespace netsim {

Trace::Trace(Fabric& fabric, const std::string& folder) : folder_(folder) {
    std::error_code code;
    std::filesystem::create_directories(folder, code);
    if (code) {
        throw Error("cannot make folder " + folder + ": " + code.message());
    }
    for (std::uint32_t link = 0; link < fabric.network().links(); ++link) {
        names_.push_back(fabric.network().topology().name(link));
    }
    states_ = open("states.csv");
    queues_ = open("queues.csv");
    transfers_ = open("transfers.csv");
    fabric.network().observe(*this);
    fabric.tcp().observe(*this);
}

Trace::~Trace() = default;

Trace::File Trace::open(const std::string& name) const {
    const std::string path = folder_ + "/" + name;
    File file(std::fopen(path.c_str(), "wb"));
    if (!file) {
        throw Error("cannot write " + path + ": " + std::strerror(errno));
    }
    (void)std::fputs("t_s,host,domain,metric,value,unit,source\n", file.get());
    return file;
}

void Trace::on_state(std::uint32_t link, Time when, eee::State state) {
    (void)std::fprintf(states_.get(), "%.12f,%s,port,state,%d,1,simulated:netsim\n", to_seconds(when),
                       names_[link].c_str(), static_cast<int>(state));
}

void Trace::on_queue(std::uint32_t link, Time when, std::uint64_t waiting, bool dropped) {
    (void)std::fprintf(queues_.get(), "%.12f,%s,port,%s,%llu,B,simulated:netsim\n", to_seconds(when),
                       names_[link].c_str(), dropped ? "drop" : "queue",
                       static_cast<unsigned long long>(waiting));
}

void Trace::on_complete(int client, int server, std::uint64_t bytes, Time begin, Time end) {
    (void)std::fprintf(transfers_.get(), "%.12f,host%d,transfer,from%d.%llu,%.12f,s,simulated:netsim\n",
                       to_seconds(end), client, server, static_cast<unsigned long long>(bytes),
                       to_seconds(end - begin));
}

void Trace::close() {
    for (File* file : {&states_, &queues_, &transfers_}) {
        const bool failed = std::ferror(file->get()) != 0;
        if (std::fclose(file->release()) != 0 || failed) {
            throw Error("cannot write all of the traces in " + folder_);
        }
    }
}

}  // namespace netsim
