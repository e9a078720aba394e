#pragma once
/// Arrival processes of frames at a single link.

#include <cstdint>
#include <string>
#include <vector>

#include "netsim/random.hpp"
#include "netsim/time.hpp"

namespace netsim {

/// Frame and its arrival time.
struct Arrival {
    Time when;
    std::uint32_t bytes;
};

/// A sequence of frames in order of time.
class Arrivals {
  public:
    /// Reads the next frame; returns false at the end.
    virtual bool next(Arrival& arrival) = 0;
    virtual ~Arrivals() = default;
};

/// Poisson arrivals of frames of one size.
class PoissonArrivals final : public Arrivals {
  public:
    /// mean: mean distance, s; until: no frame from then on.
    PoissonArrivals(double mean, std::uint32_t bytes, Time until, std::uint64_t seed)
        : mean_(mean), bytes_(bytes), until_(until), random_(seed) {}
    bool next(Arrival& arrival) override {
        now_ += random_.exponential(mean_);
        arrival = {seconds(now_), bytes_};
        return arrival.when < until_;
    }

  private:
    double mean_;
    std::uint32_t bytes_;
    Time until_;
    double now_ = 0;
    Random random_;
};

/// Frames of a recording; the first one comes at time 0.
class RecordedArrivals final : public Arrivals {
  public:
    explicit RecordedArrivals(std::vector<Arrival> frames) : frames_(std::move(frames)) {}
    bool next(Arrival& arrival) override {
        if (next_ == frames_.size()) {
            return false;
        }
        arrival = frames_[next_++];
        return true;
    }

  private:
    std::vector<Arrival> frames_;
    std::size_t next_ = 0;
};

/// Frames of a file.
struct Recording {
    std::vector<Arrival> frames;  ///< in order of time
    bool captured;                ///< a capture, whose frames lack preamble and gap
};

/// Reads a recording and sorts it by time: lines "t_s,bytes" with or without a head line, or a capture in
/// pcap format (microseconds or nanoseconds, either byte order; its frames lack the check sum, which is
/// added, and are at least 64 bytes long). Throws Error naming the file and the line or the byte.
Recording read_recording(const std::string& path);

}  // namespace netsim
