// The benchmarks of the study hpc by the engine, on HDFS: see README.md.

#include "job.hpp"
#include "kvasir/program.hpp"

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

}  // namespace

int main(int argc, char** argv) {
    return run_program(argc, argv, [&](const Communicator& comm) {
        const double ready = jobs::wall_time();
        const jobs::Parsed parsed = jobs::parse(argc, argv);
        if (!parsed.options) {
            return parsed.say(comm);
        }
        jobs::Job job(comm, *parsed.options);
        try {
            run(job);
            job.write_report(ready);
            return 0;
        } catch (const JobError&) {
            job.clean_up();
            throw;
        }
    });
}
