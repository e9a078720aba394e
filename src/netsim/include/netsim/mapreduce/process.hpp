#pragma once
/// Processes of the job layer: coroutines that wait for devices, transfers and timers.
///
/// A task of a job is a sequence of steps (start a JVM, read, compute, ...), each of which waits for
/// something. Written as a coroutine it reads as that sequence. The job layer has a few hundred steps per
/// task, so that what a coroutine costs does not matter beside the millions of packets between two of them.

#include <coroutine>
#include <cstdint>
#include <exception>
#include <vector>

#include "netsim/clock.hpp"
#include "netsim/time.hpp"
#include "netsim/transfers.hpp"

namespace netsim::mapreduce {

/// Owns the processes that have not ended, and destroys them with itself.
class Processes {
  public:
    Processes() = default;
    Processes(const Processes&) = delete;
    Processes& operator=(const Processes&) = delete;
    ~Processes() {
        for (auto& handle : handles_) {
            if (handle) {
                handle.destroy();
            }
        }
    }
    /// Registers a process; returns its index.
    std::size_t add(std::coroutine_handle<> handle) {
        if (free_.empty()) {
            handles_.push_back(handle);
            return handles_.size() - 1;
        }
        const std::size_t place = free_.back();
        free_.pop_back();
        handles_[place] = handle;
        return place;
    }
    void remove(std::size_t place) {
        handles_[place] = nullptr;
        free_.push_back(place);
    }
    /// Returns the number of processes that have begun and not ended.
    std::size_t alive() const { return handles_.size() - free_.size(); }

  private:
    std::vector<std::coroutine_handle<>> handles_;
    std::vector<std::size_t> free_;
};

/// Return type of a process: a detached coroutine that runs at once. It must be a member function (or a
/// function whose first parameter is an object) with a member `processes()`.
struct Process {
    struct promise_type {  // NOLINT(readability-identifier-naming): the language's name
        template <class Owner, class... Arguments>
        explicit promise_type(Owner& owner, Arguments&&... /*unused*/) : processes(owner.processes()) {}
        promise_type(const promise_type&) = delete;
        promise_type& operator=(const promise_type&) = delete;
        ~promise_type() = default;

        Process get_return_object() {
            place = processes.add(std::coroutine_handle<promise_type>::from_promise(*this));
            return {};
        }
        static std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept {
            processes.remove(place);
            return {};
        }
        void return_void() {}
        [[noreturn]] static void unhandled_exception() { std::terminate(); }

        Processes& processes;
        std::size_t place = 0;
    };
};

/// Resumes processes when a timer expires or a transfer completes.
class Waiting final : public Handler, public TransferDone {
  public:
    Waiting(Clock& clock, Transfers& transfers) : clock_(clock), transfers_(transfers) {}

    void on_event(Time /*now*/, std::uint64_t place) override { resume(place); }
    void on_transfer(Time /*now*/, std::uint64_t place) override { resume(place); }

    /// Awaitable: `duration` picoseconds from now.
    auto sleep(Time duration) {
        struct Awaiter {
            Waiting& waiting;
            Time duration;
            static bool await_ready() { return false; }
            void await_suspend(std::coroutine_handle<> process) {
                Clock& clock = waiting.clock_;
                clock.at(clock.now() + duration, waiting, waiting.keep(process));
            }
            void await_resume() {}
        };
        return Awaiter{*this, duration};
    }

    /// Awaitable: `client` has `bytes` from `server`. Nothing to wait for where both are one host: MRPerf's
    /// connections within a host take no time either.
    auto fetch(int client, int server, std::uint64_t bytes) {
        struct Awaiter {
            Waiting& waiting;
            int client;
            int server;
            std::uint64_t bytes;
            bool await_ready() const { return client == server; }
            void await_suspend(std::coroutine_handle<> process) {
                waiting.transfers_.fetch(waiting.clock_.now(), client, server, bytes, waiting,
                                         waiting.keep(process));
            }
            void await_resume() {}
        };
        return Awaiter{*this, client, server, bytes};
    }

  private:
    std::uint64_t keep(std::coroutine_handle<> process) {
        if (free_.empty()) {
            processes_.push_back(process);
            return processes_.size() - 1;
        }
        const std::uint64_t place = free_.back();
        free_.pop_back();
        processes_[place] = process;
        return place;
    }
    void resume(std::uint64_t place) {
        const std::coroutine_handle<> process = processes_[place];
        processes_[place] = nullptr;
        free_.push_back(place);
        process.resume();
    }

    Clock& clock_;
    Transfers& transfers_;
    std::vector<std::coroutine_handle<>> processes_;
    std::vector<std::uint64_t> free_;
};

/// Event that one process awaits; a `set` before the wait is not lost.
class Signal {
  public:
    void set() {
        set_ = true;
        if (process_) {
            const std::coroutine_handle<> process = process_;
            process_ = nullptr;
            process.resume();
        }
    }
    bool await_ready() const { return set_; }
    void await_suspend(std::coroutine_handle<> process) { process_ = process; }
    void await_resume() {}

  private:
    bool set_ = false;
    std::coroutine_handle<> process_;
};

}  // namespace netsim::mapreduce
