// Words and lines of any bytes, against the plain tokeniser.

#include <algorithm>
#include <string>
#include <vector>

#include "input.hpp"
#include "kvasir/tokenizer.hpp"
#include "plain.hpp"

namespace {

using namespace kvasir;

template <class Separator>
void compare(std::string_view text) {
    // Memory of exactly this size: what is read behind the padding is found by the sanitizer.
    std::vector<char> padded(text.size() + kTokenPadding, 'x');
    std::copy(text.begin(), text.end(), padded.begin());
    std::vector<std::string> tokens;
    for_each_token<Separator>(padded.data(), text.size(),
                              [&](PaddedView token) { tokens.emplace_back(token); });
    fuzz::check(tokens == fuzz::plain_tokens<Separator>(text),
                "tokens differ from those of the plain tokeniser");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::Input(data, size).rest();
    compare<WhiteSpace>(text);
    compare<LineFeed>(text);
    return 0;
}
