// The benchmarks of the study hpc by the engine, on HDFS: see README.md.

#include <cstdio>

#include "job.hpp"

using namespace kvasir;

namespace {

void run(jobs::Job& job) {
    const std::string& name = job.options().job;
    if (name == "wordcount") {
        jobs::count_words(job);
    } else if (name == "grep") {
        jobs::grep(job);
    } else if (name == "sort") {
        jobs::sort(job);
    } else if (name == "terasort") {
        jobs::tera_sort(job);
    } else {
        jobs::page_rank(job);
    }
}

/// Prints an error on one rank only.
int complain(const Communicator& comm, const char* what) {
    if (comm.rank() == 0) {
        (void)std::fprintf(stderr, "error: %s\n", what);
    }
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    const MpiEnvironment environment(argc, argv);
    const double ready = jobs::wall_time();
    const Communicator comm(MPI_COMM_WORLD);
    const jobs::Parsed parsed = jobs::parse(argc, argv);
    if (!parsed.options) {
        if (comm.rank() == 0) {
            (void)std::fputs(parsed.text.c_str(), parsed.exit_code == 0 ? stdout : stderr);
        }
        return parsed.exit_code;
    }
    try {
        jobs::Job job(comm, *parsed.options);
        try {
            run(job);
            job.write_report(ready);
            return 0;
        } catch (const JobError&) {
            job.clean_up();
            throw;
        }
    } catch (const MpiError& error) {  // not on all ranks: the others would wait for ever
        abort_job(comm, error.what());
    } catch (const Error& error) {  // on all ranks
        return complain(comm, error.what());
    } catch (const std::exception& error) {
        abort_job(comm, error.what());
    }
}
