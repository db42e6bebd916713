// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/kernel_function.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "core/parallel.hpp"
#include "core/spec_reader.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/option_error.hpp"
#include "fenchel/core/workspace.hpp"

namespace fenchel {
namespace {

// Values of a kernel that a thread computes at a time.
constexpr std::size_t values_per_block = 64;

constexpr std::array<std::string_view, 4> names{"linear", "rbf", "polynomial", "precomputed"};

// Which parameters each kind has.
bool takes(Kernel::Kind kind, std::string_view key) {
  if (key == "constant") return true;
  if (key == "gamma") return kind == Kernel::Kind::rbf || kind == Kernel::Kind::polynomial;
  return (key == "coef0" || key == "degree") && kind == Kernel::Kind::polynomial;
}

std::vector<std::string_view> parameters_of(Kernel::Kind kind) {
  std::vector<std::string_view> known;
  for (const std::string_view name : spec::parameter_names<Kernel>()) {
    if (takes(kind, name)) known.push_back(name);
  }
  return known;
}

template <Real T>
double dot_row(std::span<const double> x, const FeaturesView<T>& rows, std::size_t j) {
  if (!rows.sparse()) return dot_by_four(x, rows.dense_rows().row(j));
  double sum = 0;
  rows.for_each(j, [&](std::size_t k, double value) { sum += x[k] * value; });
  return sum;
}

// Row i as a dense vector.
template <Real T>
void write_row(const FeaturesView<T>& rows, std::size_t i, std::span<double> out) {
  std::ranges::fill(out, 0.0);
  rows.for_each(i, [&](std::size_t j, double value) { out[j] = value; });
}

double power(double base, std::size_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result *= base;
    base *= base;
  }
  return result;
}

// ‖x − z‖² where ‖x‖² and ‖z‖² are beyond the range of numbers: 0 if the two are equal, else mostly infinite.
template <Real T>
double distance_to_row(std::span<const double> x, const FeaturesView<T>& rows, std::size_t j) {
  std::vector<double> z(x.size());
  write_row(rows, j, std::span(z));
  double sum = 0;
  for (std::size_t k = 0; k < z.size(); ++k) sum += (x[k] - z[k]) * (x[k] - z[k]);
  return sum;
}

double value_of(const Kernel& kernel, double product) {
  switch (kernel.kind) {
    case Kernel::Kind::polynomial:
      return power(kernel.gamma * product + kernel.coef0, kernel.degree) + kernel.constant;
    default:
      return product + kernel.constant;
  }
}

}  // namespace

void Kernel::check() const {
  check_greater("gamma", gamma, 0);
  check_finite("gamma", gamma);
  check_at_least("coef0", coef0, 0);
  check_finite("coef0", coef0);
  check_at_least("degree", static_cast<double>(degree), 1);
  check_at_least("constant", constant, 0);
  check_finite("constant", constant);
}

Spec Kernel::spec() const {
  Spec result{std::string(names[static_cast<std::size_t>(kind)]), {}};
  const auto add = [&](const auto& parameter) {
    if (!takes(kind, parameter.name) || (parameter.name == "constant" && constant == 0)) return;
    result.parameters.emplace_back(parameter.name, to_spec_value(this->*parameter.member));
  };
  std::apply([&](const auto&... parameter) { (add(parameter), ...); }, parameters());
  return result;
}

Kernel make_kernel(std::string_view text) { return make_kernel(parse_spec(text, "kernel")); }

Kernel make_kernel(const Spec& spec) {
  const auto found = std::ranges::find(names, spec.name);
  if (found == names.end()) {
    throw OptionError(fmt::format("`kernel` is '{}'; expected linear, rbf, polynomial or precomputed{}",
                                  spec.name, spec::suggestion(spec.name, names)));
  }
  const auto kind = static_cast<Kernel::Kind>(found - names.begin());
  for (const auto& [key, value] : spec.parameters) {
    if (!takes(kind, key)) spec::reject_key(spec.name, key, parameters_of(kind));
  }
  auto kernel = spec::read<Kernel>(spec);
  kernel.kind = kind;
  kernel.check();
  return kernel;
}

template <Real T>
KernelRows<T>::KernelRows(const Kernel& kernel, FeaturesView<T> rows) : kernel_(kernel), rows_(rows) {
  if (precomputed()) {
    check_size("the rows of a precomputed kernel", rows.rows(), rows.cols());
    columns_.resize(rows.rows());
    std::iota(columns_.begin(), columns_.end(), std::size_t{0});
  } else if (kernel.kind == Kernel::Kind::rbf) {
    std::vector<double> row(rows.cols());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      write_row(rows, i, std::span(row));
      squares_.push_back(dot_by_four<double>(row, row));
    }
  }
}

template <Real T>
KernelRows<T>::KernelRows(const Kernel& kernel, std::vector<std::size_t> columns)
    : kernel_(kernel), columns_(std::move(columns)) {}

template <Real T>
template <Real U>
void KernelRows<T>::evaluate(const FeaturesView<U>& x, std::size_t i, std::span<double> out,
                             int threads) const {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const auto row = scratch.take<double>(x.cols());
  write_row(x, i, row);
  if (precomputed()) {
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = row[columns_[j]] + kernel_.constant;
    return;
  }
  const double square = squares_.empty() ? 0 : dot_by_four<double>(row, row);
  for_each_block(out.size(), values_per_block, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) {
      const double product = dot_row(std::span<const double>(row), rows_, j);
      if (squares_.empty()) {
        out[j] = value_of(kernel_, product);
        continue;
      }
      double distance = square + squares_[j] - 2 * product;
      if (!std::isfinite(distance)) distance = distance_to_row(std::span<const double>(row), rows_, j);
      out[j] = std::exp(-kernel_.gamma * std::max(distance, 0.0)) + kernel_.constant;
    }
  });
}

template class KernelRows<float>;
template class KernelRows<double>;
template void KernelRows<float>::evaluate(const FeaturesView<float>&, std::size_t, std::span<double>,
                                          int) const;
template void KernelRows<double>::evaluate(const FeaturesView<float>&, std::size_t, std::span<double>,
                                           int) const;
template void KernelRows<double>::evaluate(const FeaturesView<double>&, std::size_t, std::span<double>,
                                           int) const;

}  // namespace fenchel
