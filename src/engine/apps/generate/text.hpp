#pragma once
// Writer of a text in blocks that are spelled, hashed and written independently, so that its bytes do not
// depend on the number of threads.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "laws.hpp"
#include "output.hpp"
#include "vocabulary.hpp"

namespace kvasir::generate {

inline constexpr std::uint64_t kBlock = 1U << 18U;  ///< words that are made, hashed and written as one
inline constexpr std::uint64_t kLine = 16;          ///< words of a line
inline constexpr std::size_t kSlot = 16;            ///< bytes of a word in the dictionary: a word, padded
static_assert(kBlock % kRun == 0 && kRun % kLine == 0);

/// Runs `work(thread, index)` for 0 .. count-1 on up to `threads` threads; rethrows the first exception.
inline void in_parallel(unsigned threads, std::uint64_t count,
                        const std::function<void(unsigned, std::uint64_t)>& work) {
    std::exception_ptr error;
    std::mutex lock;
    const auto share = [&](unsigned thread) {
        try {
            for (std::uint64_t index = thread; index < count; index += threads) work(thread, index);
        } catch (...) {
            const std::lock_guard<std::mutex> guard(lock);
            if (!error) error = std::current_exception();
        }
    };
    std::vector<std::jthread> others;
    for (unsigned t = 1; t < std::min<std::uint64_t>(threads, count); ++t) others.emplace_back(share, t);
    share(0);
    others.clear();
    if (error) std::rethrow_exception(error);
}

/// The first `unique` words, each in a slot of its own: its letters, and its length in the last byte.
inline std::vector<char> dictionary(const Vocabulary& vocabulary, std::uint64_t unique, unsigned threads) {
    std::vector<char> slots(unique * kSlot);
    in_parallel(threads, (unique + kBlock - 1) / kBlock, [&](unsigned, std::uint64_t part) {
        stop_if_asked();
        for (std::uint64_t k = part * kBlock; k < std::min(unique, (part + 1) * kBlock); ++k) {
            const Word word = vocabulary[k];
            std::memcpy(&slots[k * kSlot], word.letters.data(), word.length);
            slots[k * kSlot + kSlot - 1] = static_cast<char>(word.length);
        }
    });
    return slots;
}

/// Hash of a block's bytes that also depends on the block's number; sums of it do not depend on the order.
inline std::uint64_t block_hash(std::string_view text, std::uint64_t number) {
    std::uint64_t state = mixed(number, text.size());
    std::size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, 8);
        state = (state ^ word) * 0x9fb21c651e98df25ULL;
        state ^= state >> 32U;
    }
    for (; at < text.size(); ++at) state = mixed(state, static_cast<unsigned char>(text[at]));
    return mixed(state, number);
}

/// How often each word was spelled by one thread; empty for laws whose most frequent word is known
/// beforehand.
using Tally = std::vector<std::uint64_t>;

/// Words `from` to `to` of the text, into `text`; `from` is a multiple of kLine.
template <class Law>
void spell(const Law& law, const std::vector<char>& slots, std::uint64_t from, std::uint64_t to, Tally& tally,
           std::string& text) {
    text.resize((to - from) * (kLongest + 1) + kSlot);
    char* at = text.data();
    std::array<std::uint64_t, kRun> run{};
    for (std::uint64_t begin = from; begin < to; begin += kRun) {
        const std::size_t count = std::min<std::uint64_t>(kRun, to - begin);
        law.run(begin, count, run.data());
        // All are asked for before the first is needed: words of a large dictionary come from memory.
        for (std::size_t i = 0; i < count; ++i) __builtin_prefetch(&slots[run[i] * kSlot]);
        for (std::size_t i = 0; i < count; ++i) {
            const char* slot = &slots[run[i] * kSlot];
            std::memcpy(at, slot, kSlot);
            at += slot[kSlot - 1];
            *at++ = i % kLine == kLine - 1 ? '\n' : ' ';
        }
        if (!tally.empty()) {
            for (std::size_t i = 0; i < count; ++i) ++tally[run[i]];
        }
    }
    text.resize(static_cast<std::size_t>(at - text.data()));
}

/// Facts about a text that has been written.
struct Made {
    std::uint64_t bytes = 0;
    std::uint64_t checksum = 0;
    Top top;
};

/// Writes all `words` words of a text.
template <class Law>
Made write_text(const Law& law, const std::vector<char>& slots, std::uint64_t words, unsigned threads,
                const Output& output) {
    Made made;
    const std::uint64_t blocks = (words + kBlock - 1) / kBlock;
    std::vector<std::string> texts(threads);
    std::vector<std::uint64_t> hashes(threads);
    std::vector<std::uint64_t> begins(threads);
    std::vector<Tally> tallies(threads, Tally(Law::kTopByCounting ? slots.size() / kSlot : 0));
    for (std::uint64_t first = 0; first < blocks; first += threads) {
        stop_if_asked();
        const std::uint64_t batch = std::min<std::uint64_t>(threads, blocks - first);
        in_parallel(threads, batch, [&](unsigned thread, std::uint64_t i) {
            const std::uint64_t from = (first + i) * kBlock;
            const std::uint64_t to = std::min(words, from + kBlock);
            spell(law, slots, from, to, tallies[thread], texts[i]);
            if (to == words) texts[i].back() = '\n';
            hashes[i] = block_hash(texts[i], first + i);
        });
        for (std::uint64_t i = 0; i < batch; ++i) {
            begins[i] = made.bytes;
            made.bytes += texts[i].size();
            made.checksum += hashes[i];
        }
        in_parallel(threads, batch, [&](unsigned, std::uint64_t i) { output.write_at(texts[i], begins[i]); });
    }
    if constexpr (Law::kTopByCounting) {
        for (std::uint64_t k = 0; k < tallies[0].size(); ++k) {
            std::uint64_t count = 0;
            for (const Tally& tally : tallies) count += tally[k];
            if (count > made.top.count) made.top = {k, count};
        }
    } else {
        made.top = law.top(words);
    }
    return made;
}

}  // namespace kvasir::generate
