#pragma once
// Exceptions of the engine.

#include <cstdint>
#include <stdexcept>
#include <string>

namespace kvasir {

/// Error of a job. `what()` is one line for the user: cause, file where there is one, rank where it matters.
class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Failure of some rank that ended the job. Thrown on every rank with the same text, so that all ranks leave
/// together and the program can print it once.
class JobError : public Error {
  public:
    JobError(int failed_rank, const std::string& cause)
        : Error("rank " + std::to_string(failed_rank) + ": " + cause), failed_rank_(failed_rank) {}

    /// The lowest rank that failed.
    int failed_rank() const { return failed_rank_; }

  private:
    int failed_rank_;
};

/// Failure of an MPI call. Unlike the others it need not happen on every rank: the job cannot go on.
class MpiError : public Error {
  public:
    using Error::Error;
};

/// Returns an error of the operating system about a file: "<what> <path>: <cause>".
Error file_error(const std::string& what, const std::string& path, int error_number);

/// Returns bytes as a text for messages: "12.3 MB".
std::string megabytes(std::uint64_t bytes);

}  // namespace kvasir
