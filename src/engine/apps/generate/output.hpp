#pragma once
// Output file, written in place by several threads under a temporary name until it is complete.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kvasir::generate {

/// Incomplete file, removed unless commit() is called, also after an exception.
class Output {
  public:
    /// Opens `<path>.part`; throws std::runtime_error when that cannot be written, `path` is a folder, or the
    /// disk has less than `bytes` free (0: not known yet).
    Output(std::string path, std::uint64_t bytes);
    ~Output();
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    /// Writes `text` at position `at`; may be called by several threads at once.
    void write_at(std::string_view text, std::uint64_t at) const;

    /// Renames the file to its final name.
    void commit();

  private:
    std::string path_;
    std::string part_;
    int descriptor_ = -1;
};

/// Throws when the user asked to stop (SIGINT, SIGTERM, SIGHUP), so that every file goes on the way out.
void stop_if_asked();

/// Installs handlers that remember these signals.
void remember_signals();

}  // namespace kvasir::generate
