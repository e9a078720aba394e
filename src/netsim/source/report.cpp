#include "netsim/report.hpp"

#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "netsim/error.hpp"

namespace netsim {

void Report::add(std::string_view name, double value, std::string_view unit, std::string_view source) {
    metrics_.push_back({std::string(name), value, std::string(unit), std::string(source)});
}

double Report::value(std::string_view name) const {
    for (const Metric& metric : metrics_) {
        if (metric.name == name) {
            return metric.value;
        }
    }
    return std::numeric_limits<double>::quiet_NaN();
}

std::string Report::json() const {
    auto metrics = nlohmann::ordered_json::object();
    for (const Metric& metric : metrics_) {
        nlohmann::ordered_json& entry = metrics[metric.name];
        const bool known = std::isfinite(metric.value);
        entry["value"] = known ? nlohmann::ordered_json(metric.value) : nlohmann::ordered_json(nullptr);
        entry["unit"] = metric.unit;
        entry["source"] = known ? metric.source : "none";
        if (!known) {
            entry["reason"] = "nothing of the kind happened in this run";
        }
    }
    const nlohmann::ordered_json document{{"format", "kvasir-report-1"},
                                          {"windows", nlohmann::ordered_json::object()},
                                          {"metrics", std::move(metrics)}};
    return document.dump(1) + "\n";
}

void Report::write(const std::string& path) const { write_file(path, json()); }

void write_file(const std::string& path, std::string_view text) {
    const std::string draft = path + "." + std::to_string(::getpid()) + ".part";
    std::FILE* file = std::fopen(draft.c_str(), "wb");
    if (file == nullptr) {
        throw Error("cannot write " + path + ": " + std::strerror(errno));
    }
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const bool closed = std::fclose(file) == 0;
    if (!written || !closed || std::rename(draft.c_str(), path.c_str()) != 0) {
        const int cause = errno;
        (void)std::remove(draft.c_str());
        throw Error("cannot write " + path + ": " + std::strerror(cause));
    }
}

}  // namespace netsim
