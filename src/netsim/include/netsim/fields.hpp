#pragma once
/// Strict reader of JSON objects: every error is one line that begins with the path of the field.

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace netsim {

/// The range that a number must be in.
struct Range {
    double min = -std::numeric_limits<double>::max();
    double max = std::numeric_limits<double>::max();
    bool min_allowed = true;  ///< false: must be greater than `min`

    static Range at_least(double min) { return {min, std::numeric_limits<double>::max(), true}; }
    static Range above(double min) { return {min, std::numeric_limits<double>::max(), false}; }
    static Range between(double min, double max) { return {min, max, true}; }
};

/// Object of a configuration. Readers without a default throw ConfigError where the key is missing; all throw
/// where type or range are wrong. After the last one, finish() throws for keys that nobody has read.
class Fields {
  public:
    /// `path` is the object's own path, empty for the document.
    Fields(const nlohmann::json& object, std::string path);

    bool has(std::string_view key) const;
    double number(std::string_view key, const Range& range, std::optional<double> otherwise = {});
    std::int64_t integer(std::string_view key, const Range& range,
                         std::optional<std::int64_t> otherwise = {});
    bool boolean(std::string_view key, std::optional<bool> otherwise = {});
    /// Reads one of the texts `choices`.
    std::string choice(std::string_view key, const std::vector<std::string>& choices,
                       std::optional<std::string> otherwise = {});
    std::string text(std::string_view key, std::optional<std::string> otherwise = {});
    /// Reads an object within this one; a missing one counts as empty if `optional`.
    Fields object(std::string_view key, bool optional = false);
    /// Returns the raw value, for a parser of its own. Throws if missing.
    const nlohmann::json& value(std::string_view key);
    /// Accepts a key that another part parses.
    void leave(std::string_view key);
    void finish() const;

    /// Throws ConfigError "<path of key>: found <value>, expected <what>".
    [[noreturn]] void fail(std::string_view key, std::string_view what) const;
    std::string path_of(std::string_view key) const;

  private:
    const nlohmann::json* find(std::string_view key, bool required);

    const nlohmann::json* object_;
    std::string path_;
    std::set<std::string, std::less<>> read_;
};

/// Reads a JSON file. Throws Error naming the file and, where it is no JSON, the position.
nlohmann::json read_json(const std::string& path);

}  // namespace netsim
