#pragma once
// Regular expressions of Grep: Perl's, as Java's users write them, leftmost match first.

#include <cstddef>
#include <string>
#include <string_view>

struct pcre2_real_code_8;
struct pcre2_real_match_data_8;

namespace kvasir::jobs {

class Pattern {
  public:
    /// Compiles an expression. Throws Error that says where it is wrong.
    explicit Pattern(const std::string& expression);
    ~Pattern();
    Pattern(const Pattern&) = delete;
    Pattern& operator=(const Pattern&) = delete;

    /// Calls sink(match) for each match, from the left, none overlapping another (Java's Matcher.find()).
    template <class Sink>
    void for_each_match(std::string_view text, Sink&& sink) {
        std::size_t begin = 0;
        std::size_t end = 0;
        for (std::size_t from = 0; find(text, from, begin, end);) {
            sink(text.substr(begin, end - begin));
            from = end;
            if (begin == end) {  // an empty match: the next one begins a character later
                for (++from; from < text.size() && (text[from] & '\xC0') == '\x80'; ++from) {
                }
            }
        }
    }

  private:
    bool find(std::string_view text, std::size_t from, std::size_t& begin, std::size_t& end);

    pcre2_real_code_8* code_ = nullptr;
    pcre2_real_match_data_8* match_ = nullptr;
};

}  // namespace kvasir::jobs
