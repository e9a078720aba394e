#pragma once
// Words of text files, one after the other.

#include <string>
#include <vector>

#include "word_table.hpp"

namespace kvasir::bench {

/// The regular files that `paths` name, folders with all below them; sorted inside each folder.
/// Throws std::runtime_error naming the path that is not there or cannot be read.
std::vector<std::string> files_of(const std::vector<std::string>& paths);

/// Counts all words of a file: the longest stretches without white space. A word ends with its file.
/// Returns the bytes read. Throws std::runtime_error naming the file and the cause.
std::uint64_t count_words(const std::string& path, WordTable& table);

}  // namespace kvasir::bench
