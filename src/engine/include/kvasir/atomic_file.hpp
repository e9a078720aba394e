#pragma once
// Files that appear under their names complete or not at all.

#include <cstdio>
#include <string>
#include <string_view>

namespace kvasir {

/// File written under a temporary name beside `path` and renamed by commit(); removed if that never happens.
/// All functions throw Error that names the file and the cause.
class AtomicFile {
  public:
    explicit AtomicFile(std::string path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::string_view bytes);
    /// Hands all bytes to the file system: from here on only commit() can fail.
    void close();
    void commit();

  private:
    std::string path_;
    std::string temporary_;
    std::FILE* file_ = nullptr;
    bool committed_ = false;
};

}  // namespace kvasir
