#include "netsim/mapreduce/shared_server.hpp"

#include <algorithm>

namespace netsim::mapreduce {

void SharedServer::begin(Time work, std::coroutine_handle<> process) {
    const Time now = clock_.now();
    advance(now);
    heap_.push_back({virtual_now_ + work, order_++, process});
    std::push_heap(heap_.begin(), heap_.end(), later);
    plan(now);
}

void SharedServer::advance(Time now) {
    const Time elapsed = now - since_;
    since_ = now;
    const Time tasks = static_cast<Time>(heap_.size());
    if (tasks == 0) {
        return;
    }
    busy_ += elapsed * std::min<Time>(units_, tasks);
    virtual_now_ += tasks <= units_ ? elapsed : elapsed * units_ / tasks;
}

void SharedServer::plan(Time now) {
    ++generation_;
    if (heap_.empty()) {
        return;
    }
    const Time tasks = static_cast<Time>(heap_.size());
    const Time left = heap_.front().end - virtual_now_;
    // Rounded up, so that the task has ended when the call comes.
    const Time wait = tasks <= units_ ? left : (left * tasks + units_ - 1) / units_;
    clock_.at(now + std::max<Time>(wait, 0), *this, generation_);
}

void SharedServer::on_event(Time now, std::uint64_t generation) {
    if (generation != generation_) {
        return;
    }
    advance(now);
    std::vector<std::coroutine_handle<>> ended;
    ended.swap(ended_);
    while (!heap_.empty() && heap_.front().end <= virtual_now_) {
        ended.push_back(heap_.front().process);
        std::pop_heap(heap_.begin(), heap_.end(), later);
        heap_.pop_back();
    }
    plan(now);
    for (const std::coroutine_handle<> process : ended) {
        process.resume();  // may begin the next task here
    }
    ended.clear();
    ended.swap(ended_);
}

Time SharedServer::busy(Time now) const {
    return busy_ + (now - since_) * std::min<Time>(units_, static_cast<Time>(heap_.size()));
}

}  // namespace netsim::mapreduce
