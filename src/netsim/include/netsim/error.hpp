#pragma once
/// The error of this library.

#include <stdexcept>
#include <string>

namespace netsim {

/// Something outside the program is wrong: a configuration, a file. The text is one line for the user.
class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A configuration value is wrong; the text begins with the path of its field.
class ConfigError : public Error {
  public:
    using Error::Error;
};

}  // namespace netsim
