// Sizes and settings: what is taken and what is refused.

#include "kvasir/options.hpp"

#include <gtest/gtest.h>

#include "kvasir/error.hpp"

namespace kvasir {
namespace {

TEST(Size, WithAndWithoutUnit) {
    EXPECT_EQ(parse_size("4096"), 4096U);
    EXPECT_EQ(parse_size("64MB"), 64'000'000U);
    EXPECT_EQ(parse_size("1MiB"), 1'048'576U);
    EXPECT_EQ(parse_size("1.5 kB"), 1500U);
    EXPECT_EQ(parse_size("2gib"), 2'147'483'648U);
    EXPECT_EQ(parse_size("7B"), 7U);
    EXPECT_EQ(parse_size("110M"), 110'000'000U);
}

TEST(Size, RefusesEverythingElse) {
    for (const char* text :
         {"", "-1", "-64MB", "0", "MB", "64XB", "1e", "ten", "nan", "inf", "1 2", "0.1", "1e300"}) {
        EXPECT_THROW(parse_size(text), Error) << text;
    }
    try {
        parse_size("64XB");
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("64XB"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("MiB"), std::string::npos);
    }
}

TEST(Options, OfTheWrongSizeAreRefused) {
    EXPECT_NO_THROW(validate(Options{}, 1000));
    const auto refused = [](auto&& change) {
        Options options;
        change(options);
        EXPECT_THROW(validate(options, 4), Error);
    };
    refused([](Options& o) { o.send_buffer = 31; });
    refused([](Options& o) { o.send_buffer = std::size_t{17} << 30U; });
    refused([](Options& o) { o.in_flight = 1; });
    refused([](Options& o) { o.in_flight = 5; });
    refused([](Options& o) { o.slice = 0; });
    refused([](Options& o) { o.chunk = 0; });
    refused([](Options& o) { o.balance_factor = 0.5; });
    refused([](Options& o) { o.balance_first = 0; });
    refused([](Options& o) { o.memory = 4; });
    refused([](Options& o) { o.spill = "/tmp"; });
    refused([](Options& o) { o.memory = 4 * o.send_buffer - 1; });
}

}  // namespace
}  // namespace kvasir
