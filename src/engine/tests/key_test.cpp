// Keys: one canonical form, whatever they come from.

#include "kvasir/detail/key.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace kvasir::detail {
namespace {

using Text = KeyTraits<std::string_view>;

std::vector<std::uint64_t> stored(const KeyCode& code) {
    std::vector<std::uint64_t> zone(code.words + 1, ~std::uint64_t{0});
    Text::write(code, zone.data());
    return zone;
}

TEST(TextKey, ReturnsWhatWasStored) {
    for (const std::size_t length : {0, 1, 6, 7, 8, 14, 15, 16, 17, 23, 24, 300, 70'000}) {
        std::string key(length, 'x');
        for (std::size_t i = 0; i < length; ++i) {
            key[i] = static_cast<char>(i * 7);
        }
        const KeyCode code = Text::encode(std::string_view(key));
        const auto zone = stored(code);
        EXPECT_EQ(Text::decode(zone.data()), key);
        EXPECT_EQ(Text::words(zone.data()), code.words);
        EXPECT_TRUE(Text::equal(code, zone.data()));
    }
}

TEST(TextKey, PaddedViewsGiveTheSameKeysWhateverFollowsThem) {
    const std::string around = "abcdefghijklmnopqrstuvwxyz0123456789";
    for (std::size_t length = 0; length <= 18; ++length) {
        const KeyCode plain = Text::encode(std::string_view(around).substr(2, length));
        const KeyCode padded = Text::encode(PaddedView(around.data() + 2, length));
        EXPECT_EQ(plain.hash, padded.hash);
        EXPECT_EQ(plain.words, padded.words);
        EXPECT_TRUE(Text::equal(plain, stored(padded).data()));
    }
}

TEST(TextKey, TellsApartKeysThatDifferInLengthOrInZeros) {
    const std::vector<std::string> keys{"",
                                        std::string(1, '\0'),
                                        std::string(2, '\0'),
                                        std::string(7, '\0'),
                                        std::string(8, '\0'),
                                        std::string(15, '\0'),
                                        std::string(16, '\0'),
                                        std::string(17, '\0'),
                                        "a",
                                        std::string("a\0", 2),
                                        "abcdefgh",
                                        "abcdefg",
                                        "abcdefgi",
                                        "abcdefghijklmno",
                                        "abcdefghijklmnp",
                                        "abcdefghijklmnopq",
                                        "abcdefghijklmnopr"};
    for (const std::string& a : keys) {
        for (const std::string& b : keys) {
            const KeyCode code = Text::encode(std::string_view(a));
            EXPECT_EQ(Text::equal(code, stored(Text::encode(std::string_view(b))).data()), a == b);
        }
    }
}

TEST(TextKey, RecodedKeysAreTheSame) {
    for (const std::size_t length : {0, 5, 7, 8, 15, 16, 99}) {
        const std::string key(length, 'k');
        const KeyCode code = Text::encode(std::string_view(key));
        const auto zone = stored(code);
        const KeyCode again = Text::recode(code.hash, zone.data());
        EXPECT_EQ(again.words, code.words);
        EXPECT_EQ(stored(again), zone);
    }
}

TEST(Hash, SpreadsOverAllBitsThatAreUsed) {
    // Words of a text differ in few bits. Each group of 8 bits of their hashes must still be about even.
    constexpr int words = 1 << 16;
    for (const unsigned shift : {0U, 8U, 16U, 24U, 32U, 48U, 56U}) {
        std::vector<int> seen(256);
        for (int i = 0; i < words; ++i) {
            const std::string word = std::to_string(i);
            ++seen[(Text::encode(std::string_view(word)).hash >> shift) & 0xFFU];
        }
        for (const int count : seen) {
            EXPECT_NEAR(count, words / 256.0, 100) << "bits from " << shift;  // 6 standard deviations
        }
    }
}

TEST(Hash, IsDifferentForDifferentKeys) {
    std::set<std::uint64_t> hashes;
    std::string key;
    for (int length = 0; length < 200; ++length, key += 'a') {
        hashes.insert(Text::encode(std::string_view(key)).hash);
    }
    EXPECT_EQ(hashes.size(), 200U);
}

TEST(FixedKey, ReturnsWhatWasStored) {
    struct Pair {
        std::uint32_t a, b, c;
    };
    const Pair pair{1, 2, 3};
    const KeyCode code = KeyTraits<Pair>::encode(pair);
    std::vector<std::uint64_t> zone(code.words);
    KeyTraits<Pair>::write(code, zone.data());
    EXPECT_EQ(code.words, 2U);
    EXPECT_EQ(KeyTraits<Pair>::decode(zone.data()).c, 3U);
    EXPECT_TRUE(KeyTraits<Pair>::equal(code, zone.data()));
    EXPECT_FALSE(KeyTraits<Pair>::equal(KeyTraits<Pair>::encode({1, 2, 4}), zone.data()));
}

}  // namespace
}  // namespace kvasir::detail
