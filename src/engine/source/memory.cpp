#include "kvasir/memory.hpp"

#include <string>

#include "kvasir/error.hpp"

namespace kvasir {

void MemoryMeter::ask_for_room(std::size_t bytes) {
    if (relief_ != nullptr) {
        relief_->relieve(bytes);
    }
    if (!has_room(bytes)) {
        throw OverBudget("memory: the records need " + megabytes(current_ + bytes) +
                         " or more, the budget (--memory) is " + megabytes(budget_) +
                         (relief_ == nullptr ? "; give --spill a folder, or use a larger budget or more ranks"
                                             : "; buffers and the values of any one key must fit into it"));
    }
}

}  // namespace kvasir
