#include "kvasir/error.hpp"

#include <system_error>

namespace kvasir {

Error file_error(const std::string& what, const std::string& path, int error_number) {
    return Error{what + " " + path + ": " + std::generic_category().message(error_number)};
}

}  // namespace kvasir
