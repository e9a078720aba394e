#pragma once
// Changes of a text before it is cut into tokens, as people who count words want them. ASCII only: bytes of
// other letters (0x80 and above) stay as they are.

#include <cstddef>

namespace kvasir {

/// Filter of the bytes of a text, in place; does nothing unless told to.
struct TextFilter {
    bool fold_case = false;          ///< A to Z become a to z, as by `tr A-Z a-z`
    bool strip_punctuation = false;  ///< ispunct() of locale C goes, as by `tr -d '[:punct:]'` in locale C

    /// Filters `size` bytes; returns how many are left.
    std::size_t operator()(char* data, std::size_t size) const {
        if (fold_case) {
            for (std::size_t i = 0; i < size; ++i) {
                const bool capital = static_cast<unsigned char>(data[i] - 'A') < 26;
                data[i] = static_cast<char>(data[i] | (capital ? 0x20 : 0));
            }
        }
        return strip_punctuation ? strip(data, size) : size;
    }

  private:
    static bool punctuates(char c) {
        const auto byte = static_cast<unsigned char>(c);
        const auto lower = static_cast<unsigned char>(byte | 0x20U);
        const bool visible = byte > ' ' && byte < 0x7f;
        return visible && static_cast<unsigned char>(byte - '0') >= 10 &&
               static_cast<unsigned char>(lower - 'a') >= 26;
    }
    static std::size_t strip(char* data, std::size_t size) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < size; ++i) {
            data[kept] = data[i];
            kept += static_cast<std::size_t>(!punctuates(data[i]));
        }
        return kept;
    }
};

}  // namespace kvasir
