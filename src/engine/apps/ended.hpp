#pragma once
// The end of a program: what it printed, or that its command line is wrong or asks for help.

#include <cerrno>
#include <cstdio>
#include <string>

#include "kvasir/error.hpp"
#include "kvasir/mpi.hpp"

namespace kvasir::app {

/// Hands what was printed on to the system. Throws Error where that does not take it, as a full disk.
inline void flush_output() {
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        throw file_error("cannot write", "standard output", errno);
    }
}

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
