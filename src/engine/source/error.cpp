#include "kvasir/error.hpp"

#include <cstdio>
#include <system_error>

namespace kvasir {

Error file_error(const std::string& what, const std::string& path, int error_number) {
    return Error{what + " " + path + ": " + std::generic_category().message(error_number)};
}

std::string megabytes(std::uint64_t bytes) {
    char text[32];
    (void)std::snprintf(text, sizeof(text), bytes < 1'000'000 ? "%.3f MB" : "%.1f MB",
                        static_cast<double>(bytes) * 1e-6);
    return text;
}

}  // namespace kvasir
