#pragma once
// A file that appears under its name complete or not at all.

#include <cstdio>
#include <string>
#include <string_view>

namespace kvasir {

/// Written under a temporary name beside `path`; commit() gives it its name. Removed if that never happens.
/// All functions throw Error that names the file and the cause.
class AtomicFile {
  public:
    explicit AtomicFile(std::string path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::string_view bytes);
    /// All bytes are handed to the file system: from here on only commit() can fail.
    void close();
    void commit();

  private:
    std::string path_;
    std::string temporary_;
    std::FILE* file_ = nullptr;
    bool committed_ = false;
};

}  // namespace kvasir
