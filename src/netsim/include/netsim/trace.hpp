#pragma once
/// Trace files of a run.

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "netsim/fabric.hpp"

namespace netsim {

/// Writes `states.csv` (changes of state of every port: 0 active, 1 sleep, 2 low power idle, 3 wake),
/// `queues.csv` (bytes that wait in a queue when a packet joins it, and drops) and `transfers.csv` (duration
/// of every completed transfer) into a folder, as lines t_s,host,domain,metric,value,unit,source. Slows a run
/// down by about ten times.
class Trace final : public NetworkObserver, public tcp::TransferObserver {
  public:
    /// Makes the folder if it is missing. Throws Error naming the file that cannot be written.
    Trace(Fabric& fabric, const std::string& folder);
    ~Trace();
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;

    void on_state(std::uint32_t link, Time when, eee::State state) override;
    void on_queue(std::uint32_t link, Time when, std::uint64_t waiting, bool dropped) override;
    void on_complete(int client, int server, std::uint64_t bytes, Time begin, Time end) override;
    /// Throws Error if not everything could be written.
    void close();

  private:
    struct Close {
        void operator()(std::FILE* file) const { (void)std::fclose(file); }
    };
    using File = std::unique_ptr<std::FILE, Close>;

    File open(const std::string& name) const;

    std::string folder_;
    std::vector<std::string> names_;
    File states_;
    File queues_;
    File transfers_;
};

}  // namespace netsim
