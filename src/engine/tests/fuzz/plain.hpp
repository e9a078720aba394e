#pragma once
// A tokeniser that is plainly right.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kvasir::fuzz {

template <class Separator>
std::vector<std::string> plain_tokens(std::string_view text) {
    std::vector<std::string> tokens;
    std::string token;
    for (const char c : text) {
        if (!Separator::separates(c)) {
            token += c;
        } else if (!token.empty()) {
            tokens.push_back(std::exchange(token, {}));
        }
    }
    if (!token.empty()) {
        tokens.push_back(token);
    }
    return tokens;
}

}  // namespace kvasir::fuzz
