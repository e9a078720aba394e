#include "netsim/fields.hpp"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "netsim/error.hpp"

namespace netsim {
namespace {

const nlohmann::json& empty_object() {
    static const nlohmann::json kEmpty = nlohmann::json::object();
    return kEmpty;
}

/// A value as it may stand in a message: on one line, not too long, whatever its bytes are.
std::string text_of(const nlohmann::json& value) {
    constexpr std::size_t kLongest = 60;
    const std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    return text.size() > kLongest ? text.substr(0, kLongest) + "..." : text;
}

/// A number as a user would write it.
std::string shown(double x) {
    return x == std::floor(x) && std::abs(x) < 1e15 ? std::to_string(static_cast<std::int64_t>(x))
                                                    : nlohmann::json(x).dump();
}

std::string shown(const Range& range, std::string_view kind) {
    constexpr double kMost = std::numeric_limits<double>::max();
    std::string text(kind);
    if (range.min > -kMost && range.max < kMost && range.min_allowed) {
        return text + " from " + shown(range.min) + " to " + shown(range.max);
    }
    if (range.min > -kMost) {
        text += (range.min_allowed ? " >= " : " > ") + shown(range.min);
    }
    if (range.max < kMost) {
        text += (range.min > -kMost ? " and <= " : " <= ") + shown(range.max);
    }
    return text;
}

bool within(double x, const Range& range) {
    return std::isfinite(x) && (range.min_allowed ? x >= range.min : x > range.min) && x <= range.max;
}

}  // namespace

Fields::Fields(const nlohmann::json& object, std::string path) : object_(&object), path_(std::move(path)) {
    if (!object.is_object()) {
        throw ConfigError((path_.empty() ? std::string("configuration") : path_) + ": found " +
                          text_of(object) + ", expected an object");
    }
}

bool Fields::has(std::string_view key) const { return object_->find(key) != object_->end(); }

std::string Fields::path_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

void Fields::fail(std::string_view key, std::string_view what) const {
    const auto found = object_->find(key);
    throw ConfigError(path_of(key) + ": found " + (found == object_->end() ? "nothing" : text_of(*found)) +
                      ", expected " + std::string(what));
}

const nlohmann::json* Fields::find(std::string_view key, bool required) {
    read_.emplace(key);
    const auto found = object_->find(key);
    if (found == object_->end()) {
        if (required) {
            fail(key, "a value");
        }
        return nullptr;
    }
    return &*found;
}

double Fields::number(std::string_view key, const Range& range, std::optional<double> otherwise) {
    const nlohmann::json* value = find(key, !otherwise);
    if (value == nullptr) {
        return *otherwise;
    }
    if (!value->is_number() || !within(value->get<double>(), range)) {
        fail(key, shown(range, "a number"));
    }
    return value->get<double>();
}

std::int64_t Fields::integer(std::string_view key, const Range& range,
                             std::optional<std::int64_t> otherwise) {
    const nlohmann::json* value = find(key, !otherwise);
    if (value == nullptr) {
        return *otherwise;
    }
    constexpr double kExact = 9007199254740992.0;  // 2^53: beyond it numbers have gaps
    if (!value->is_number() || !within(value->get<double>(), range) ||
        std::abs(value->get<double>()) > kExact || value->get<double>() != std::floor(value->get<double>())) {
        fail(key, shown(range, "a whole number"));
    }
    return static_cast<std::int64_t>(value->get<double>());
}

bool Fields::boolean(std::string_view key, std::optional<bool> otherwise) {
    const nlohmann::json* value = find(key, !otherwise);
    if (value == nullptr) {
        return *otherwise;
    }
    if (!value->is_boolean()) {
        fail(key, "true or false");
    }
    return value->get<bool>();
}

std::string Fields::text(std::string_view key, std::optional<std::string> otherwise) {
    const nlohmann::json* value = find(key, !otherwise);
    if (value == nullptr) {
        return *otherwise;
    }
    if (!value->is_string()) {
        fail(key, "a text");
    }
    return value->get<std::string>();
}

std::string Fields::choice(std::string_view key, const std::vector<std::string>& choices,
                           std::optional<std::string> otherwise) {
    const nlohmann::json* value = find(key, !otherwise);
    if (value == nullptr) {
        return *otherwise;
    }
    std::string list;
    for (const std::string& choice : choices) {
        if (value->is_string() && value->get<std::string>() == choice) {
            return choice;
        }
        list += (list.empty() ? "\"" : ", \"") + choice + "\"";
    }
    fail(key, choices.size() == 1 ? list : "one of " + list);
}

Fields Fields::object(std::string_view key, bool optional) {
    const nlohmann::json* value = find(key, !optional);
    return {value == nullptr ? empty_object() : *value, path_of(key)};
}

const nlohmann::json& Fields::value(std::string_view key) { return *find(key, true); }

void Fields::leave(std::string_view key) { read_.emplace(key); }

void Fields::finish() const {
    for (const auto& item : object_->items()) {
        if (read_.find(item.key()) == read_.end()) {
            fail(item.key(), "no such field");
        }
    }
}

nlohmann::json read_json(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw Error("cannot read " + path);
    }
    try {
        return nlohmann::json::parse(file);
    } catch (const nlohmann::json::parse_error& error) {
        throw Error(path + ": no JSON at byte " + std::to_string(error.byte));
    }
}

}  // namespace netsim
