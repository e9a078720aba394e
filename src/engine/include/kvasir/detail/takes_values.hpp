#pragma once
// Which reductions may get more values than memory has room for.

#include <functional>
#include <type_traits>
#include <utility>

#include "kvasir/values.hpp"

namespace kvasir::detail {

template <class Function>
struct SecondParameter;
template <class R, class K, class V>
struct SecondParameter<std::function<R(K, V)>> : std::remove_cvref<V> {};

/// Returns whether a reduction takes Values. Looks at its signature only: a generic one takes a span.
template <class Reduce, class Value>
consteval bool takes_values() {
    if constexpr (requires { std::function(std::declval<Reduce>()); }) {
        using Signature = decltype(std::function(std::declval<Reduce>()));
        return std::is_same_v<typename SecondParameter<Signature>::type, Values<Value>>;
    } else {
        return false;
    }
}

}  // namespace kvasir::detail
