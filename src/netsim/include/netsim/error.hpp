#pragma once
/// Exceptions of this library.

#include <stdexcept>
#include <string>

namespace netsim {

/// Error in the input: a configuration, a file. The text is one line for the user.
class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Error in a configuration value; the text begins with the path of its field.
class ConfigError : public Error {
  public:
    using Error::Error;
};

}  // namespace netsim
