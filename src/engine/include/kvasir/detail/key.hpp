#pragma once
// Layout of a key in memory: whole 64-bit words, in one canonical form, so that equal keys are equal words.
//   byte string of up to 15 bytes   1 or 2 words: the length in the lowest byte, the bytes, zeros
//   longer byte string              a word 0xFF | length << 8, the bytes, zeros up to whole words
//   fixed-size type                 its bytes, zeros up to whole words
// Words of texts are mostly short: such a key is compared by one or two words, without a loop.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "kvasir/detail/hash.hpp"
#include "kvasir/padded_view.hpp"

namespace kvasir::detail {

static_assert(std::endian::native == std::endian::little, "records are laid out for little-endian machines");

/// Encoded key: its first two words (zero where it has none), and the rest of it where it is long.
struct KeyCode {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    std::uint64_t hash = 0;
    std::size_t words = 1;       ///< words it takes in a record
    const char* tail = nullptr;  ///< long keys only: the bytes after the `head_words` first words
    std::size_t tail_bytes = 0;
};

constexpr std::size_t words_for(std::size_t bytes) { return (bytes + 7) / 8; }

inline std::uint64_t load_word(const char* from) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, sizeof(word));
    return word;
}

/// Returns a mask of the lowest `bytes` bytes, 0 to 8.
inline std::uint64_t low_bytes(std::size_t bytes) {
    return bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
}

/// Copies `bytes` bytes and pads the last word with zeros.
inline void store_bytes(std::uint64_t* to, const char* from, std::size_t bytes) {
    if (bytes % 8 != 0) {
        to[bytes / 8] = 0;
    }
    if (bytes != 0) {
        std::memcpy(to, from, bytes);
    }
}

/// Whether keys of a type have at most two words and no tail, or some of them.
template <class Key>
inline constexpr bool kShortKeys = std::is_same_v<Key, std::string_view> ||
                                   sizeof(Key) <= 2 * sizeof(std::uint64_t);

/// Keys of fixed size: types without padding, whose equality is that of their bytes.
template <class Key>
struct KeyTraits {
    static_assert(
        std::has_unique_object_representations_v<Key>,
        "a key must be a byte string (std::string_view) or a fixed-size type that is equal exactly where "
        "its bytes are: integers, and structs of integers without padding");
    static constexpr std::size_t kWords = (sizeof(Key) + 7) / 8;

    static KeyCode encode(const Key& key) {
        KeyCode code;
        code.words = kWords;
        if constexpr (kWords <= 2) {
            std::memcpy(&code.first, &key, sizeof(Key) < 8 ? sizeof(Key) : 8);
            if constexpr (kWords == 2) {
                std::memcpy(&code.second, reinterpret_cast<const char*>(&key) + 8, sizeof(Key) - 8);
            }
            code.hash = hash_words(code.first, code.second);
        } else {
            code.tail = reinterpret_cast<const char*>(&key);
            code.tail_bytes = sizeof(Key);
            code.hash = hash_bytes(sizeof(Key), code.tail, code.tail_bytes);
        }
        return code;
    }
    static std::size_t words(const std::uint64_t* /*zone*/) { return kWords; }
    static void write(const KeyCode& code, std::uint64_t* zone) {
        if constexpr (kWords <= 2) {
            zone[0] = code.first;
            if constexpr (kWords == 2) {
                zone[1] = code.second;
            }
        } else {
            store_bytes(zone, code.tail, code.tail_bytes);
        }
    }
    static bool equal(const KeyCode& code, const std::uint64_t* zone) {
        if constexpr (kWords <= 2) {
            return zone[0] == code.first && (kWords == 1 || zone[1] == code.second);
        } else {
            return std::memcmp(zone, code.tail, code.tail_bytes) == 0;
        }
    }
    static Key decode(const std::uint64_t* zone) {
        Key key;
        std::memcpy(&key, zone, sizeof(Key));
        return key;
    }
    /// Encodes the key of a stored record, to be stored again. `hash` is the record's.
    static KeyCode recode(std::uint64_t hash, const std::uint64_t* zone) {
        KeyCode code;
        code.hash = hash;
        code.words = kWords;
        if constexpr (kWords <= 2) {
            code.first = zone[0];
            code.second = kWords == 2 ? zone[1] : 0;
        } else {
            code.tail = reinterpret_cast<const char*>(zone);
            code.tail_bytes = sizeof(Key);
        }
        return code;
    }
};

/// Keys that are byte strings of any length and content.
template <>
struct KeyTraits<std::string_view> {
    static constexpr std::size_t kShort = 15;

    static KeyCode encode(PaddedView key) {
        return key.size() <= kShort ? encode_short(key.data(), key.size()) : encode_long(key);
    }
    static KeyCode encode(std::string_view key) {
        if (key.size() > kShort) {
            return encode_long(key);
        }
        char padded[16] = {};
        if (!key.empty()) {
            std::memcpy(padded, key.data(), key.size());
        }
        return encode_short(padded, key.size());
    }
    static std::size_t words(const std::uint64_t* zone) {
        const std::uint64_t length = zone[0] & 0xFFU;
        return length <= kShort ? 1 + static_cast<std::size_t>(length > 7) : 1 + words_for(zone[0] >> 8U);
    }
    /// Writes two words even for a key of one: the value that follows overwrites the second.
    static void write(const KeyCode& code, std::uint64_t* zone) {
        zone[0] = code.first;
        if (code.tail == nullptr) [[likely]] {
            zone[1] = code.second;
        } else {
            store_bytes(zone + 1, code.tail, code.tail_bytes);
        }
    }
    static bool equal(const KeyCode& code, const std::uint64_t* zone) {
        if (code.tail == nullptr) [[likely]] {
            // No branch on one word or two: that would be mispredicted with every other word of a text.
            const std::uint64_t second = code.words == 2 ? zone[1] : code.second;
            return ((zone[0] ^ code.first) | (second ^ code.second)) == 0;
        }
        return zone[0] == code.first && std::memcmp(zone + 1, code.tail, code.tail_bytes) == 0;
    }
    static std::string_view decode(const std::uint64_t* zone) {
        const std::uint64_t length = zone[0] & 0xFFU;
        const auto* bytes = reinterpret_cast<const char*>(zone);
        return length <= kShort ? std::string_view(bytes + 1, length)
                                : std::string_view(bytes + 8, zone[0] >> 8U);
    }
    static KeyCode recode(std::uint64_t hash, const std::uint64_t* zone) {
        KeyCode code;
        code.hash = hash;
        code.words = words(zone);
        code.first = zone[0];
        if ((zone[0] & 0xFFU) <= kShort) {
            code.second = code.words == 2 ? zone[1] : 0;
        } else {
            code.tail = reinterpret_cast<const char*>(zone + 1);
            code.tail_bytes = zone[0] >> 8U;
        }
        return code;
    }

  private:
    /// `data` must be readable for 16 bytes.
    static KeyCode encode_short(const char* data, std::size_t size) {
        KeyCode code;
        const std::size_t in_second = size > 7 ? size - 7 : 0;
        code.first = ((load_word(data) & low_bytes(size < 7 ? size : 7)) << 8U) | size;
        code.second = load_word(data + 7) & low_bytes(in_second);
        code.words = 1 + static_cast<std::size_t>(size > 7);
        code.hash = hash_words(code.first, code.second);
        return code;
    }
    static KeyCode encode_long(std::string_view key) {
        KeyCode code;
        code.first = (static_cast<std::uint64_t>(key.size()) << 8U) | 0xFFU;
        code.tail = key.data();
        code.tail_bytes = key.size();
        code.words = 1 + words_for(key.size());
        code.hash = hash_bytes(code.first, code.tail, code.tail_bytes);
        return code;
    }
};

}  // namespace kvasir::detail
