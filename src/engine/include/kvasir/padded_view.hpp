#pragma once
// The view of a token that readers of texts pass to map functions.

#include <cstddef>
#include <string_view>

namespace kvasir {

/// A byte string behind whose first byte at least 16 bytes may be read (not all of them belonging to it).
/// The readers of texts hand these out; they save a copy of short keys byte by byte.
class PaddedView : public std::string_view {
  public:
    PaddedView(const char* data, std::size_t size) : std::string_view(data, size) {}
};

}  // namespace kvasir
