#pragma once
/// Values of one key, for reductions that take as many as there are.

#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

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

namespace detail {

// Calls of these deduce the type of the second parameter of a function, or of an object's operator().
template <class R, class K, class V>
V second_parameter(R (*)(K, V));
template <class R, class C, class K, class V>
V second_parameter(R (C::*)(K, V));
template <class R, class C, class K, class V>
V second_parameter(R (C::*)(K, V) const);

template <class Function>
concept HasValues = requires(Function function) {
    second_parameter(function);
};
template <class Object>
concept HasValuesInCall = requires {
    second_parameter(&Object::operator());
};

/// Returns whether a reduction takes Values. Looks at its signature only: a generic one takes a span.
template <class Reduce, class Value>
consteval bool takes_values() {
    if constexpr (HasValues<Reduce>) {
        using Second = decltype(second_parameter(std::declval<Reduce>()));
        return std::is_same_v<std::remove_cvref_t<Second>, Values<Value>>;
    } else if constexpr (HasValuesInCall<Reduce>) {
        using Second = decltype(second_parameter(&Reduce::operator()));
        return std::is_same_v<std::remove_cvref_t<Second>, Values<Value>>;
    } else {
        return false;
    }
}

}  // namespace detail
}  // namespace kvasir
