// SPDX-License-Identifier: Apache-2.0
// A reference to something callable: what solvers take, so that they compile once and calls never allocate.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace fenchel {

template <class Signature>
class FunctionRef;

/// Refers to a callable that outlives it; two words, no allocation.
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, FunctionRef> &&
           !std::is_function_v<std::remove_reference_t<F>> && !std::is_pointer_v<std::decay_t<F>> &&
           std::is_invocable_r_v<Result, F&, Arguments...>)
      FunctionRef(F&& f)  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Arguments>(arguments)...);
        }) {}

  /// A plain function.
  FunctionRef(Result (*function)(Arguments...))  // NOLINT(google-explicit-constructor)
      : object_(reinterpret_cast<void*>(function)), call_([](void* object, Arguments... arguments) -> Result {
          return reinterpret_cast<Result (*)(Arguments...)>(object)(std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const {
    return call_(object_, std::forward<Arguments>(arguments)...);
  }

 private:
  void* object_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace fenchel
