// Parts of the jobs on HDFS that need no HDFS. Run with 1 to 3 ranks.

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "graph.hpp"
#include "kvasir/bipartite.hpp"
#include "options.hpp"
#include "pattern.hpp"
#include "world.hpp"

namespace kvasir::jobs {
namespace {

using test::world;

TEST(Roles, SharedProcessesAreBoth) {
    const Roles all(world(), 0, 0, Placement::shared);
    EXPECT_EQ(all.o_ranks(), world().size());
    EXPECT_EQ(all.a_ranks(), world().size());
    const Roles one(world(), world().size(), 1, Placement::shared);
    EXPECT_TRUE(one.is_o());
    EXPECT_EQ(one.is_a(), world().rank() == 0);
    EXPECT_EQ(one.process_of_a(0), 0);
}

TEST(Roles, SplitProcessesAreOne) {
    if (world().size() == 1) {
        EXPECT_THROW(Roles(world(), 0, 0, Placement::split), Error);
        return;
    }
    const Roles roles(world(), 0, 1, Placement::split);
    EXPECT_EQ(roles.o_ranks(), world().size() - 1);
    EXPECT_EQ(roles.process_of_a(0), world().size() - 1);
    EXPECT_NE(roles.is_o(), roles.is_a());
    if (roles.is_a()) {
        EXPECT_EQ(roles.a().size(), 1);
    }
    EXPECT_EQ(Roles(world(), 0, 0, Placement::split).a_ranks(), world().size() / 2);
}

TEST(Roles, WrongNumbersAreErrors) {
    const int processes = world().size();
    EXPECT_THROW(Roles(world(), processes + 1, 1, Placement::shared), Error);
    EXPECT_THROW(Roles(world(), processes, processes + 1, Placement::shared), Error);
    EXPECT_THROW(Roles(world(), processes, 1, Placement::split), Error);
}

TEST(Exchange, PackedRecordsOfAnyLengthArrive) {
    Options options;
    options.strategy = Strategy::by_fill;
    options.send_buffer = 4096;  // blocks that long records do not fit in
    BipartiteState state(world(), options);
    SortedRecords received(state);
    PackedExchange exchange(state, received);
    constexpr int records = 400;
    const auto value_of = [](int i) {
        return std::string(static_cast<std::size_t>(i % 40 == 0 ? 9000 : i), 'v');
    };
    for (int i = 0; i < records; ++i) {
        const int to = i % world().size();
        const std::string key = std::to_string(world().rank()) + " " + std::to_string(i);
        exchange.send(to, key, value_of(i));
        exchange.poll();
    }
    exchange.finish();
    state.together([&] { received.sort(); });
    std::size_t expected = 0;
    for (int i = world().rank(); i < records; i += world().size()) {
        expected += static_cast<std::size_t>(world().size());
    }
    ASSERT_EQ(received.size(), expected);
    received.for_each([&](std::string_view key, std::string_view value) {
        EXPECT_EQ(value, value_of(std::stoi(std::string(key.substr(key.find(' '))))));
    });
    EXPECT_EQ(state.counters().received, expected);
    EXPECT_EQ(state.counters().emitted, static_cast<std::uint64_t>(records));
}

TEST(Exchange, CallableReceivesPackedRecords) {
    BipartiteState state(world(), Options{});
    std::map<std::string, std::string> seen;
    auto receive = [&](std::string_view key, std::string_view value) { seen.emplace(key, value); };
    PackedExchange exchange(state, receive);
    for (int to = 0; to < world().size(); ++to) {
        exchange.send(to, std::to_string(world().rank()), std::to_string(to));
    }
    exchange.finish();
    std::map<std::string, std::string> expected;
    for (int from = 0; from < world().size(); ++from) {
        expected.emplace(std::to_string(from), std::to_string(world().rank()));
    }
    EXPECT_EQ(seen, expected);
}

struct Add {
    std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};

TEST(Exchange, CombinedRecordsHoldEveryKeyOnce) {
    Options options;
    options.send_buffer = 4096;
    options.combine_cache =
        2048;  // smaller than the keys, so that it is emptied often; one key fits in no cache
    BipartiteState state(world(), options);
    CombinedRecords<std::uint64_t, Add> received(state);
    const auto process_of = [](std::string_view key) {
        return static_cast<int>(key.size()) % world().size();
    };
    CombiningExchange exchange(state, received, process_of);
    std::map<std::string, std::uint64_t> expected;
    constexpr std::uint64_t rounds = 20;
    for (std::uint64_t i = 0; i < rounds; ++i) {
        for (std::size_t length = 0; length < 200; ++length) {
            const std::string key(length == 199 ? 3000 : length, 'k');
            exchange.send(std::string_view(key), i);
            exchange.poll();
            if (process_of(key) == world().rank()) {
                expected[key] += i * static_cast<std::uint64_t>(world().size());
            }
        }
    }
    exchange.finish();
    state.together([] {});
    std::map<std::string, std::uint64_t> seen;
    received.take_each([&](std::string_view key, std::uint64_t value) {
        EXPECT_TRUE(seen.emplace(key, value).second) << key.size();
    });
    EXPECT_EQ(seen, expected);
    EXPECT_EQ(state.counters().emitted, rounds * 200);
    EXPECT_GE(state.counters().oversize, rounds);
}

TEST(Exchange, RecordsBeyondTheBudgetSpillAndComeBack) {
    const test::SharedFolder folder;
    Options options;
    options.memory = 64U << 10U;
    options.send_buffer = 4096;
    options.combine_cache = 4096;
    options.spill = folder.path();
    BipartiteState state(world(), options);
    CombinedRecords<std::uint64_t, Add> received(state);
    const auto process_of = [](std::string_view key) {
        return static_cast<int>(std::hash<std::string_view>{}(key) % static_cast<unsigned>(world().size()));
    };
    CombiningExchange exchange(state, received, process_of);
    constexpr std::uint64_t records = 60'000;
    std::map<std::string, std::uint64_t> expected;
    for (std::uint64_t i = 0; i < 2 * records; ++i) {
        // Half of them have one of twenty keys, each of which has more values than the budget could hold.
        const std::string key = "key " + std::to_string(i % 2 == 0 ? i % 40 : i % records);
        exchange.send(std::string_view(key), i);
        exchange.poll();
        if (process_of(key) == world().rank()) {
            expected[key] += i * static_cast<std::uint64_t>(world().size());
        }
    }
    exchange.finish();
    SortedRecords sorted(state);
    state.together([&] {
        received.take_each(
            [&](std::string_view key, std::uint64_t value) { sorted.add(key, std::to_string(value)); });
        sorted.sort();
    });
    auto next = expected.begin();
    sorted.for_each([&](std::string_view key, std::string_view value) {
        ASSERT_NE(next, expected.end());
        EXPECT_EQ(key, next->first);
        EXPECT_EQ(value, std::to_string(next->second));
        ++next;
    });
    EXPECT_EQ(next, expected.end());
    EXPECT_GT(received.spilled().record_bytes + sorted.spilled().record_bytes, options.memory);
    EXPECT_LE(state.memory().peak(), options.memory);
    barrier(world());
}

TEST(Exchange, AMissingSpillFolderIsAnErrorOnAllProcesses) {
    Options options;
    options.memory = 128U << 10U;
    options.send_buffer = 8192;
    options.spill = "/nowhere/at/all";
    BipartiteState state(world(), options);
    try {
        const SortedRecords received(state);
        FAIL();
    } catch (const JobError& error) {
        EXPECT_NE(std::string(error.what()).find("cannot make a file in the spill folder"), std::string::npos)
            << error.what();
    }
}

TEST(Exchange, OneFailureStopsAllProcesses) {
    BipartiteState state(world(), Options{});
    std::uint64_t records = 0;
    auto receive = [&](std::string_view, std::string_view) { ++records; };
    PackedExchange exchange(state, receive);
    if (world().rank() == world().size() - 1) {
        try {
            throw Error("the input is broken");
        } catch (...) {
            state.fail();
        }
    }
    exchange.finish();
    EXPECT_TRUE(state.stopped());
    try {
        state.together([] {});
        FAIL();
    } catch (const JobError& error) {
        EXPECT_EQ(error.failed_rank(), world().size() - 1);
        EXPECT_NE(std::string(error.what()).find("the input is broken"), std::string::npos);
    }
}

/// Ranks as one process computes them.
std::map<Vertex, double> expected_ranks(const std::vector<Edge>& edges, int iterations) {
    std::map<Vertex, double> rank;
    std::map<Vertex, int> degree;
    for (const auto& [source, target] : edges) {
        rank[source] = rank[target] = 0;
        ++degree[source];
    }
    for (auto& [vertex, value] : rank) {
        value = 1.0 / static_cast<double>(rank.size());
    }
    for (int i = 0; i < iterations; ++i) {
        double lost = 0;
        std::map<Vertex, double> next;
        for (const auto& [vertex, value] : rank) {
            lost += degree[vertex] == 0 ? value : 0;
        }
        for (const auto& [source, target] : edges) {
            next[target] += rank[source] / degree[source];
        }
        for (auto& [vertex, value] : rank) {
            value = (0.15 + 0.85 * lost) / static_cast<double>(rank.size()) + 0.85 * next[vertex];
        }
    }
    return rank;
}

TEST(Graph, RanksAreThoseOfOneProcess) {
    std::mt19937 random(5);
    std::vector<Edge> edges;
    for (int i = 0; i < 2000; ++i) {
        edges.emplace_back(random() % 300, random() % 600);  // repeated edges, sinks, gaps between names
    }
    std::vector<Edge> own;
    for (const Edge& edge : edges) {
        if (Graph::owner(edge.first, world().size()) == world().rank()) {
            own.push_back(edge);
        }
    }
    Graph graph(world(), own);
    for (int i = 0; i < 4; ++i) {
        graph.iterate();
    }
    const std::map<Vertex, double> expected = expected_ranks(edges, 4);
    EXPECT_EQ(graph.vertices_of_all(), expected.size());
    for (std::size_t i = 0; i < graph.vertices().size(); ++i) {
        const Vertex vertex = graph.vertices()[i];
        EXPECT_EQ(Graph::owner(vertex, world().size()), world().rank());
        EXPECT_NEAR(graph.ranks()[i], expected.at(vertex), 1e-12);
    }
}

std::vector<std::string> matches(const std::string& expression, const std::string& text) {
    Pattern pattern(expression);
    std::vector<std::string> found;
    pattern.for_each_match(text, [&](std::string_view match) { found.emplace_back(match); });
    return found;
}

TEST(Pattern, FindsWhatJavaFinds) {
    using Texts = std::vector<std::string>;
    EXPECT_EQ(matches("[a-z]*ness", "kindness, witness and wilderness nessness"),
              (Texts{"kindness", "witness", "wilderness", "nessness"}));
    EXPECT_EQ(matches("a|ab", "abab"), (Texts{"a", "a"}));  // the first alternative, not the longest
    EXPECT_EQ(matches("b*", "abba"), (Texts{"", "bb", "", ""}));
    EXPECT_EQ(matches("x?", "\xC3\xBC"), (Texts{"", ""}));  // one character, not two bytes
    EXPECT_EQ(matches("^a|b$", "aab"), (Texts{"a", "b"}));
    EXPECT_TRUE(matches("q", "").empty());
    EXPECT_EQ(matches("n.", "no \xFF nn"), (Texts{"no", "nn"}));  // what is no UTF-8 matches nothing
    const std::string longer_than_a_stack = std::string(20'000, 'a') + "c";
    EXPECT_EQ(matches("(a|b)*c", longer_than_a_stack), Texts{longer_than_a_stack});
}

TEST(Pattern, WrongOnesAreErrors) {
    try {
        Pattern pattern("a(b");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()), "pattern 'a(b': missing closing parenthesis at character 3");
    }
}

Parsed parsed(std::vector<const char*> words) {
    words.insert(words.begin(), "hdfs-jobs");
    return parse(static_cast<int>(words.size()), words.data());
}

TEST(JobOptions, ComeFromTheCommandLine) {
    const Parsed all = parsed({"--namenode", "hdfs://n0:9000", "terasort", "/in", "/out", "--o-ranks=4",
                               "--a-ranks=2", "--placement=split", "--replication=1", "--samples=1000"});
    ASSERT_TRUE(all.options) << all.text;
    EXPECT_EQ(all.options->job, "terasort");
    EXPECT_EQ(all.options->name_node.text(), "n0:9000");
    EXPECT_EQ(all.options->o_ranks, 4);
    EXPECT_EQ(all.options->placement, Placement::split);
    EXPECT_EQ(all.options->samples, 1000U);
    const Parsed bounded =
        parsed({"--namenode=n0:1", "sort", "/in", "/out", "--memory=16MiB", "--spill=/tmp"});
    ASSERT_TRUE(bounded.options) << bounded.text;
    EXPECT_EQ(bounded.options->engine.spill, "/tmp");
    EXPECT_EQ(bounded.options->engine.send_buffer, 1U << 20U);  // a sixteenth
    const Parsed grep = parsed({"--namenode=n0:1", "grep", "/in", "/out", "a b*", "--input-format=text"});
    ASSERT_TRUE(grep.options) << grep.text;
    EXPECT_EQ(grep.options->pattern, "a b*");
    EXPECT_EQ(grep.options->format, InputFormat::text);
}

TEST(JobOptions, WrongOnesSayWhy) {
    for (const std::vector<const char*>& words :
         {std::vector<const char*>{"wordcount", "/in", "/out"},
          {"--namenode=n0", "wordcount", "/in", "/out"},
          {"--namenode=n0:1"},
          {"--namenode=n0:1", "wordcount", "/in"},
          {"--namenode=n0:1", "pagerank", "/in", "/out"},
          {"--namenode=n0:1", "pagerank", "/in", "/out", "--iterations=1", "--memory=1GB"},  // its graph
          {"--namenode=n0:1", "sort", "/in", "/out", "--placement=both"},
          {"--namenode=n0:1", "sort", "/in", "/out", "--a-ranks=0"}}) {
        const Parsed wrong = parsed(words);
        EXPECT_FALSE(wrong.options);
        EXPECT_EQ(wrong.exit_code, 2);
        EXPECT_EQ(wrong.text.rfind("error: ", 0), 0U) << wrong.text;
    }
    EXPECT_EQ(parsed({"--help"}).exit_code, 0);
}

}  // namespace
}  // namespace kvasir::jobs
