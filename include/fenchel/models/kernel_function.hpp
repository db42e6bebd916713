// SPDX-License-Identifier: Apache-2.0
// Kernels k(x, z) = ⟨φ(x), φ(z)⟩, through which dual training makes non-linear models (paper §8.2): linear
// ⟨x, z⟩, rbf exp(−gamma ‖x − z‖²), polynomial (gamma ⟨x, z⟩ + coef0)^degree, and precomputed, whose rows are
// themselves values of a kernel against the training examples.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "fenchel/core/features.hpp"
#include "fenchel/core/spec.hpp"

namespace fenchel {

/// A kernel. `constant` is added to every value: 1 makes an intercept that is penalised like the rest.
struct Kernel {
  enum class Kind { linear, rbf, polynomial, precomputed };

  Kind kind = Kind::linear;
  double gamma = 1;
  double coef0 = 0;
  std::size_t degree = 3;
  double constant = 0;

  static constexpr auto parameters() {
    return std::tuple{Parameter{"gamma", &Kernel::gamma, "of rbf and polynomial, > 0"},
                      Parameter{"coef0", &Kernel::coef0, "of polynomial, >= 0"},
                      Parameter{"degree", &Kernel::degree, "of polynomial, >= 1"},
                      Parameter{"constant", &Kernel::constant, "added to every value, >= 0"}};
  }
  /// Throws std::invalid_argument unless gamma > 0, coef0 ≥ 0 (else it is not a kernel), degree ≥ 1 and
  /// constant ≥ 0.
  void check() const;
  /// As text again, with the parameters that the kind has.
  Spec spec() const;
};

/// The names that a kernel can have: "linear", "rbf" …
std::span<const std::string_view> kernel_names();
/// "rbf:gamma=0.5", or the JSON notation.
Kernel make_kernel(std::string_view text);
Kernel make_kernel(const Spec& spec);

/// gamma = 1/(columns · variance of all entries), as scikit-learn's `scale`: what fits take for `rbf` and
/// `polynomial` without a gamma. 1 where entries do not vary, or beyond the range of numbers. Rows of
/// weight 0 do not count.
template <Real T>
double default_gamma(const FeaturesView<T>& x, std::span<const double> weights = {});
/// Whether a kernel of this text has a gamma that the text leaves open.
bool leaves_gamma_open(std::string_view text);

/// Rows that one side of a kernel keeps: those of the training examples, with their squared norms. A view,
/// and a copy where they are dense.
template <Real T>
class KernelRows {
 public:
  KernelRows(const Kernel& kernel, FeaturesView<T> rows);
  /// Only the rows with these numbers.
  KernelRows(const Kernel& kernel, FeaturesView<T> rows, std::vector<std::size_t> chosen);
  /// Of a precomputed kernel, only the columns given take part.
  KernelRows(const Kernel& kernel, std::vector<std::size_t> columns);

  std::size_t size() const { return chosen_.size(); }
  /// out_j = k(x_i, row_j) for row i of x; `threads` share the rows.
  template <Real U>
  void evaluate(const FeaturesView<U>& x, std::size_t i, std::span<double> out, int threads = 1) const;

 private:
  bool precomputed() const { return kernel_.kind == Kernel::Kind::precomputed; }
  double square_of(std::span<const double> x) const;
  void multiply(std::span<const double> x, std::size_t first, std::span<double> out) const;

  Kernel kernel_;
  FeaturesView<T> rows_;
  std::vector<double> panels_;  // dense rows, 64 beside each other, by feature
  std::vector<double> squares_;
  std::vector<std::size_t> chosen_;  // of a precomputed kernel: columns
};

/// k(x_i, x_i) for row i of x.
template <Real T>
double kernel_diagonal(const Kernel& kernel, const FeaturesView<T>& x, std::size_t i);

}  // namespace fenchel
