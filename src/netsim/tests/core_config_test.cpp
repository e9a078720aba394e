#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "documents.hpp"
#include "netsim/error.hpp"
#include "netsim/shuffle.hpp"
#include "scratch.hpp"

namespace netsim {
namespace {

using nlohmann::json;

std::string error_of(const json& document) {
    try {
        (void)test::config(document);
        (void)read_shuffle(document);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

json with(const char* pointer, const json& value) {
    json document = test::document();
    document[json::json_pointer(pointer)] = value;
    return document;
}

json without(const char* object, const char* key) {
    json document = test::document();
    document[json::json_pointer(object)].erase(key);
    return document;
}

TEST(Config, ReadsValues) {
    json document = test::document(10);
    document["latency"]["added_us"] = 2.5;
    document["eee"]["core"] = {{"policy", "coalesce"}, {"hold_us", 1000}, {"trigger", 5000},
                               {"unit", "bytes"},      {"from", "lpi"},   {"stall_us", 3}};
    document["eee"]["lpi_power"] = 0.2;
    const Config config = test::config(document);
    EXPECT_EQ(config.topology.nodes, 10);
    EXPECT_EQ(config.latency[0], 3500 * kNanosecond);
    const eee::PortSettings port = port_settings(config.eee.policy[1], config.eee, config.topology.speed[1]);
    EXPECT_EQ(port.hold, kMillisecond);
    EXPECT_EQ(port.trigger, 5000U);
    EXPECT_TRUE(port.trigger_bytes);
    EXPECT_TRUE(port.hold_from_lpi);
    EXPECT_EQ(port.stall, 3 * kMicrosecond);
    EXPECT_EQ(port.level[0].power, 0.2);
    EXPECT_EQ(config.eee.watts[1], 2.5);
    EXPECT_FALSE(config.eee.wake_on_full);
    EXPECT_TRUE(test::config(with("/eee/wake_on_full", true)).eee.wake_on_full);
    EXPECT_EQ(full_bytes(131072, config.tcp), 131072U - 1518U + 1U);
    EXPECT_FALSE(config.tcp.ecn);
    EXPECT_TRUE(test::config(with("/queue", {{"kind", "ecn"}, {"mark_bytes", 1}})).tcp.ecn);
}

TEST(Config, ErrorsNameTheField) {
    const json coalesce = {{"policy", "coalesce"}, {"hold_us", -1}, {"trigger", 10}};
    EXPECT_EQ(error_of(with("/eee/core", coalesce)),
              "eee.core.hold_us: found -1, expected a number from 0 to 10000000000");
    EXPECT_EQ(error_of(with("/eee/core/hold_us", 5)), "eee.core.hold_us: found 5, expected no such field");
    EXPECT_EQ(
        error_of(with("/eee/edge/policy", "fast")),
        "eee.edge.policy: found \"fast\", expected one of \"legacy\", \"ideal\", \"standard\", \"coalesce\", "
        "\"adaptive\"");
    EXPECT_EQ(error_of(without("/tcp", "sack")), "tcp.sack: found nothing, expected a value");
    EXPECT_EQ(error_of(with("/tcp/sack", 1)), "tcp.sack: found 1, expected true or false");
    EXPECT_EQ(error_of(with("/seed", 1.5)), "seed: found 1.5, expected a whole number >= 0");
    EXPECT_EQ(error_of(with("/topology/nodes", 1)),
              "topology.nodes: found 1, expected a whole number from 2 to 65536");
    EXPECT_EQ(error_of(with("/topology", {{"kind", "fat-tree"}, {"k", 5}, {"edge", "1g"}, {"core", "10g"}})),
              "topology.k: found 5, expected an even number");
    EXPECT_EQ(error_of(with("/topology/edge", "2g")),
              "topology.edge: found \"2g\", expected one of \"100m\", \"1g\", \"10g\", \"40g\"");
    EXPECT_EQ(error_of(without("/eee/watts", "10g")), "eee.watts.10g: found nothing, expected a value");
    EXPECT_EQ(error_of(with("/eee/watts/25g", 1)), "eee.watts.25g: found 1, expected no such field");
    EXPECT_EQ(error_of(with("/queue", "red")), "queue: found \"red\", expected an object");
    EXPECT_EQ(error_of(with("/buffer_bytes", 1000)),
              "buffer_bytes: found 1000, expected a whole number from 1518 to 1000000000000");
    EXPECT_EQ(error_of(with("/typo", 1)), "typo: found 1, expected no such field");
    EXPECT_EQ(error_of(with("/eee/core", {{"policy", "ideal"}, {"stall_us", 5}})),
              "eee.core.stall_us: found 5, expected 0 for policy ideal");
    EXPECT_EQ(error_of(with("/eee/edge", {{"policy", "legacy"}, {"mode", "deep"}})),
              "eee.edge.mode: found \"deep\", expected no such field");
    EXPECT_EQ(error_of(with("/shuffle/copiers", 0)),
              "shuffle.copiers: found 0, expected a whole number from 1 to 100000");
    EXPECT_EQ(error_of(with("/eee/core/mode", "dual")),
              "eee.core.mode: found \"dual\", expected no such field");
    EXPECT_EQ(error_of(json::array()), "configuration: found [], expected an object");
}

/// Every path in a document.
void paths_of(const json& value, const json::json_pointer& at, std::vector<json::json_pointer>& paths) {
    for (const auto& item : value.items()) {
        const json::json_pointer path = at / item.key();
        paths.push_back(path);
        if (item.value().is_object()) {
            paths_of(item.value(), path, paths);
        }
    }
}

std::string dotted(const json::json_pointer& pointer) {
    std::string path = pointer.to_string().substr(1);
    std::replace(path.begin(), path.end(), '/', '.');
    return path;
}

/// A wrong value anywhere gives an error that begins with the path of the field, or of one around or beside
/// it.
TEST(Config, FuzzedDocumentsGiveErrorsThatNameTheField) {
    Random random(11);
    const std::vector<json> wrong{nullptr,          "",
                                  "nonsense",       -1,
                                  -1e300,           1e300,
                                  json::array({1}), json::object(),
                                  {{"x", 1}},       std::string(300, 'a'),
                                  "\xff\xfe",       0.5,
                                  9007199254740993, true};
    int errors = 0;
    for (int round = 0; round < 3000; ++round) {
        json document = test::random_document(random);
        std::vector<json::json_pointer> paths;
        paths_of(document, json::json_pointer(), paths);
        const json::json_pointer& path = paths[random.below(paths.size())];
        document[path] = wrong[random.below(wrong.size())];
        std::string error;
        EXPECT_NO_THROW(error = error_of(document)) << path.to_string();  // nothing but ConfigError
        if (!error.empty()) {
            ++errors;
            const std::string name = dotted(path);
            // A changed kind or speed shows at the fields that then are missing or too many.
            const std::string parent = name.substr(0, name.find('.'));
            EXPECT_TRUE(error.rfind(name, 0) == 0 || error.rfind(parent + ".", 0) == 0 ||
                        parent == "topology" || name == "tcp.mss")
                << name << " -> " << error;
            EXPECT_EQ(error.find('\n'), std::string::npos);
            EXPECT_NE(error.find(": found "), std::string::npos) << error;
            EXPECT_NE(error.find(", expected "), std::string::npos) << error;
        }
    }
    EXPECT_GT(errors, 1500);
}

TEST(Config, MissingAndUnknownFieldsAreFound) {
    Random random(12);
    for (int round = 0; round < 500; ++round) {
        json document = test::random_document(random);
        std::vector<json::json_pointer> paths;
        paths_of(document, json::json_pointer(), paths);
        const json::json_pointer& path = paths[random.below(paths.size())];
        json extra = document;
        extra[path.parent_pointer()]["surplus"] = 1;
        EXPECT_NE(error_of(extra).find("surplus: found 1, expected no such field"), std::string::npos);
    }
}

TEST(Config, FilesThatAreNoJson) {
    const std::string path = test::scratch("bad.json");
    std::ofstream(path) << "{\"seed\": }";
    try {
        (void)read_json(path);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()), path + ": no JSON at byte 10");
    }
    EXPECT_THROW((void)read_json("/nowhere/at/all.json"), Error);
}

}  // namespace
}  // namespace netsim
