#pragma once
/// Values of one key, for reductions that take as many as there are.

#include <cstdint>
#include <functional>
#include <span>

namespace kvasir {

/// The values that reduce is handed, in no particular order. A reduce(key, Values<Value>) may get more of
/// them than the budget of memory has room for: they are read from the spill file then, each time that they
/// are visited. A reduce(key, std::span<const Value>) gets them all in memory, or its job fails.
template <class Value>
class Values {
  public:
    using Visit = std::function<void(std::span<const Value>)>;
    /// Calls a Visit with some values after the others.
    using Parts = std::function<void(const Visit&)>;

    // NOLINTNEXTLINE(google-explicit-constructor): what holds all values is passed as what may not
    Values(std::span<const Value> all) : all_(all), size_(all.size()) {}
    /// `parts`, which must outlive this, has `size` values in all.
    Values(std::uint64_t size, const Parts& parts) : size_(size), parts_(&parts) {}

    std::uint64_t size() const { return size_; }

    /// Calls visit(value) for every value. Byte strings live until the call ends.
    template <class VisitOne>
    void for_each(VisitOne&& visit) const {
        const auto visit_all = [&](std::span<const Value> some) {
            for (const Value& value : some) {
                visit(value);
            }
        };
        if (parts_ == nullptr) {
            visit_all(all_);
        } else {
            (*parts_)(visit_all);
        }
    }

  private:
    std::span<const Value> all_;
    std::uint64_t size_;
    const Parts* parts_ = nullptr;
};

}  // namespace kvasir
