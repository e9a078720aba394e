#pragma once
// The end of a program whose command line is wrong or asks for help.

#include <cstdio>
#include <string>

#include "kvasir/mpi.hpp"

namespace kvasir::app {

/// Outcome of reading a command line: whether the program ends here, with what text and exit code.
struct Ended {
    bool ended = false;
    std::string text;
    int exit_code = 0;

    /// Prints the text on one rank; returns the exit code.
    int say(const Communicator& comm) const {
        if (comm.rank() == 0) {
            (void)std::fputs(text.c_str(), exit_code == 0 ? stdout : stderr);
        }
        return exit_code;
    }
};

}  // namespace kvasir::app
