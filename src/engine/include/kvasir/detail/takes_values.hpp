#pragma once
// Which reductions may get more values than memory has room for.

#include <type_traits>
#include <utility>

#include "kvasir/values.hpp"

namespace kvasir::detail {

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

}  // namespace kvasir::detail
