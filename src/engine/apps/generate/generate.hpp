#pragma once
// What is to be generated, and its making.

#include <cstdint>
#include <string>

namespace kvasir::generate {

/// Options of the command line.
struct Settings {
    std::string format = "text";
    std::uint64_t records = 0;
    bool ascii = false;
    std::uint64_t words = 0;
    std::uint64_t unique = 0;
    std::string law = "interleaved";
    double exponent = 1.0;
    double share = 0.6;
    std::uint64_t seed = 1;
    std::string lengths = "5-8";
    unsigned threads = 1;
    std::string output;
    std::string report;
    bool plan = false;
};

/// Writes the text and its report, or says its size where `plan` is set. Throws std::exception.
void make_text(const Settings& settings);
/// The same with records.
void make_records(const Settings& settings);

}  // namespace kvasir::generate
