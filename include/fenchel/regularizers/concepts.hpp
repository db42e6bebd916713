// SPDX-License-Identifier: Apache-2.0
// What a type must offer to be a regularizer Ω. There are two ways to write one:
//  - on rows: value(μ) = Ω(μ) and predict(θ, out, scratch) = ŷ_Ω(θ) (paper Definition 1);
//  - by coordinates: phi(m) and predict_one(s) for Ω(μ) = Σ φ(μ_j) (paper §6.1).
// Everything else has a generic fallback (regularizers/any.hpp) and may be given where Ω can do better.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>

#include "fenchel/core/report.hpp"
#include "fenchel/core/row_summaries.hpp"
#include "fenchel/core/views.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/polytopes/concepts.hpp"
#include "fenchel/regularizers/traits.hpp"

namespace fenchel {

/// What a type says of itself, as a static member.
template <class R>
concept HasTraits = requires {
  { R::traits } -> std::convertible_to<Traits>;
  requires !std::is_member_object_pointer_v<decltype(&R::traits)>;
};

/// Ω on rows. On the simplex θ arrives with max θ = 0 and may hold −inf (a mask, whose prediction is 0).
/// `out` never overlaps `theta`.
template <class R, class T>
concept RowRegularizerFor = requires(const R& omega, std::span<const T> input, std::span<T> output,
                                     Workspace& scratch) {
  { omega.value(input) } -> std::convertible_to<double>;
  omega.predict(input, output, scratch);
  requires HasTraits<R>;
};

/// Ω(μ) = Σ φ(μ_j): scalar functions are enough.
template <class R>
concept CoordinatewiseRegularizer = requires(const R& omega, double s) {
  { omega.phi(s) } -> std::convertible_to<double>;
  { omega.predict_one(s) } -> std::convertible_to<double>;
  requires HasTraits<R>;
};

/// A regularizer that computes in T itself.
template <class R, class T>
concept RegularizerFor = RowRegularizerFor<R, T> || CoordinatewiseRegularizer<R>;

/// A regularizer. Single precision goes through a converted row unless Ω takes it directly.
template <class R>
concept Regularizer = RegularizerFor<R, double>;

/// A type that has parts of an Ω and lacks others: it was meant to be one. AnyRegularizer takes it only to
/// say what is missing, in one line.
template <class R>
concept UnfinishedRegularizer =
    !Regularizer<R> && std::is_class_v<R> &&
    (
        Polytope<R> || requires { R::traits; } ||
        requires(const R& omega, std::span<const double> row) { omega.value(row); } ||
        requires(const R& omega, std::span<const double> row, std::span<double> out, Workspace& scratch) {
          omega.predict(row, out, scratch);
        } ||
        requires(const R& omega) { omega.phi(0.0); } || requires(const R& omega) { omega.predict_one(0.0); });

template <class R>
requires Polytope<R>
constexpr void tell_what_is_missing() {
  static_assert(!Polytope<R>,
                "this is a polytope, not an Omega: wrap it in SparseMap{...}, Marginal{...} or Map{...}");
}

template <class R>
constexpr void tell_what_is_missing() {
  constexpr bool by_coordinates = requires(const R& omega) { omega.phi(0.0); }
  || requires(const R& omega) { omega.predict_one(0.0); };
  static_assert(HasTraits<R>, "this Omega lacks: static constexpr fenchel::Traits traits");
  if constexpr (by_coordinates) {
    static_assert(
        requires(const R& omega) { double(omega.phi(0.0)); }, "this Omega lacks: double phi(double m) const");
    static_assert(
        requires(const R& omega) { double(omega.predict_one(0.0)); },
        "this Omega lacks: double predict_one(double s) const");
  } else {
    static_assert(
        requires(const R& omega, std::span<const double> row) { double(omega.value(row)); },
        "this Omega lacks: double value(std::span<const double> mu) const");
    static_assert(
        requires(const R& omega, std::span<const double> row, std::span<double> out, Workspace& scratch) {
          omega.predict(row, out, scratch);
        },
        "this Omega lacks: void predict(std::span<const double> theta, std::span<double> out, Workspace& "
        "scratch) const");
  }
}

/// Ω has a kernel for blocks of rows; it returns the first row that is not a score vector, else the number of
/// rows. `takes_blocks` says whether it applies to these parameters.
template <class R, class T>
concept BlockRegularizerFor = requires(const R& omega, MatrixView<const T> theta, MatrixView<T> out) {
  { omega.takes_blocks() } -> std::convertible_to<bool>;
  { omega.predict_block(theta, out, RowSummaries{}) } -> std::convertible_to<std::size_t>;
};

/// Ω has a gradient of its own.
template <class R>
concept GradientRegularizer = requires(const R& omega, double m) {
  omega.phi_prime(m);
}
|| requires(const R& omega, std::span<const double> in, std::span<double> out) { omega.gradient(in, out); }
|| requires(const R& omega, std::span<const double> in, std::span<double> out, Workspace& scratch) {
  omega.gradient(in, out, scratch);
};

/// Ω has Jacobian products of its own.
template <class R>
concept JacobianRegularizer = requires(const R& omega, double s) {
  omega.slope_one(s);
}
|| requires(const R& omega, std::span<const double> in, std::span<double> out, Workspace& scratch) {
  omega.jvp(in, in, in, out, scratch);
};

/// The traits of a particular Ω: its type's, refined where they depend on parameters.
template <Regularizer R>
Traits traits_of(const R& omega) {
  Traits traits = R::traits;
  if constexpr (requires {
                  { omega.refined_traits() } -> std::convertible_to<Traits>;
                }) {
    traits = omega.refined_traits();
  }
  if constexpr (!GradientRegularizer<R>) traits.gradient_by_differences = true;
  if constexpr (!JacobianRegularizer<R>) traits.jvp_by_differences = true;
  return traits;
}

}  // namespace fenchel
