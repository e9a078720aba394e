// The vectorised tokeniser against a plain one.

#include "kvasir/tokenizer.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace kvasir::detail {
namespace {

template <class Separator>
std::vector<std::string> plain(const std::string& text) {
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

template <class Separator>
std::vector<std::string> fast(std::string text) {
    const std::size_t size = text.size();
    text.append(kTokenPadding, 'x');  // what follows the data must not matter
    std::vector<std::string> tokens;
    for_each_token<Separator>(text.data(), size, [&](PaddedView token) { tokens.emplace_back(token); });
    return tokens;
}

TEST(WhiteSpace, IsThatOfTheCLocale) {
    for (int c = -128; c < 128; ++c) {
        const bool expected = c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r';
        EXPECT_EQ(WhiteSpace::separates(static_cast<char>(c)), expected) << c;
    }
}

TEST(Mask, VectorAndScalarAgreeOnEveryByte) {
    std::string bytes(256, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<char>(i);
    }
    for (std::size_t at = 0; at < bytes.size(); at += 64) {
        EXPECT_EQ(separator_mask<WhiteSpace>(bytes.data() + at),
                  separator_mask_scalar<WhiteSpace>(bytes.data() + at));
        EXPECT_EQ(separator_mask<LineFeed>(bytes.data() + at),
                  separator_mask_scalar<LineFeed>(bytes.data() + at));
    }
}

TEST(Tokens, OfRandomTexts) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 3000; ++round) {
        std::string text(random() % 300, '\0');
        const std::uint64_t spaces = 1 + random() % 20;
        for (char& c : text) {
            c = random() % spaces == 0 ? " \t\n\v\f\r"[random() % 6] : static_cast<char>(random());
        }
        ASSERT_EQ(fast<WhiteSpace>(text), plain<WhiteSpace>(text));
        ASSERT_EQ(fast<LineFeed>(text), plain<LineFeed>(text));
    }
}

TEST(Tokens, AtTheEdgesOfVectors) {
    for (std::size_t length = 0; length <= 200; ++length) {
        const std::string word(length, 'w');
        ASSERT_EQ(fast<WhiteSpace>(word), plain<WhiteSpace>(word));
        ASSERT_EQ(fast<WhiteSpace>(" " + word + " " + word + " "),
                  plain<WhiteSpace>(" " + word + " " + word + " "));
        ASSERT_EQ(fast<WhiteSpace>(std::string(length, ' ')), std::vector<std::string>{});
    }
}

}  // namespace
}  // namespace kvasir::detail
