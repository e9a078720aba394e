#define PCRE2_CODE_UNIT_WIDTH 8
#include "pattern.hpp"

#include <pcre2.h>

#include <array>

#include "kvasir/error.hpp"

namespace kvasir::jobs {
namespace {

std::string text_of(int code) {
    std::array<unsigned char, 256> text{};
    pcre2_get_error_message(code, text.data(), text.size());
    return reinterpret_cast<const char*>(text.data());
}

}  // namespace

Pattern::Pattern(const std::string& expression) {
    int error = 0;
    std::size_t where = 0;
    code_ = pcre2_compile(reinterpret_cast<const unsigned char*>(expression.data()), expression.size(),
                          PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &error, &where, nullptr);
    if (code_ == nullptr) {
        throw Error("pattern '" + expression + "': " + text_of(error) + " at character " +
                    std::to_string(where));
    }
    (void)pcre2_jit_compile(code_, PCRE2_JIT_COMPLETE);  // without it matching is only slower
    match_ = pcre2_match_data_create_from_pattern(code_, nullptr);
}

Pattern::~Pattern() {
    pcre2_match_data_free(match_);
    pcre2_code_free(code_);
}

bool Pattern::find(std::string_view text, std::size_t from, std::size_t& begin, std::size_t& end) {
    if (from > text.size()) {
        return false;
    }
    const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
    int found = pcre2_match(code_, bytes, text.size(), from, 0, match_, nullptr);
    if (found == PCRE2_ERROR_JIT_STACKLIMIT) {  // compiled patterns have 32 KiB of stack, others the heap
        found = pcre2_match(code_, bytes, text.size(), from, PCRE2_NO_JIT, match_, nullptr);
    }
    if (found == PCRE2_ERROR_NOMATCH) {
        return false;
    }
    if (found < 0) {
        throw Error("pattern: " + text_of(found));
    }
    const std::size_t* places = pcre2_get_ovector_pointer(match_);
    begin = places[0];
    end = places[1];
    return true;
}

}  // namespace kvasir::jobs
