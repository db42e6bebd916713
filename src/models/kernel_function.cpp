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
#include "kernels/exp.hpp"
#include "kernels/feature_rows.hpp"

namespace fenchel {
namespace {

// Values of a kernel that a thread computes at a time.
constexpr std::size_t values_per_block = 64;
// Copies of a row beside each other whose products fill the widest vector.
constexpr std::size_t lanes_of_square = 8;

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

std::vector<std::size_t> numbers_below(std::size_t count) {
  std::vector<std::size_t> result(count);
  std::iota(result.begin(), result.end(), std::size_t{0});
  return result;
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

std::span<const std::string_view> kernel_names() { return names; }

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

bool leaves_gamma_open(std::string_view text) {
  const Spec spec = parse_spec(text, "kernel");
  return takes(make_kernel(spec).kind, "gamma") &&
         std::ranges::none_of(spec.parameters,
                              [](const auto& parameter) { return parameter.first == "gamma"; });
}

template <Real T>
double default_gamma(const FeaturesView<T>& x, std::span<const double> weights) {
  double unit = 0;  // squares of entries may be beyond the range of numbers
  double sum = 0, squares = 0, total = 0;
  const auto for_each_entry = [&](const auto& body) {
    for (std::size_t i = 0; i < x.rows(); ++i) {
      const double weight = weights.empty() ? 1 : weights[i];
      if (weight > 0) x.for_each(i, [&](std::size_t, double value) { body(weight, value); });
    }
  };
  for (std::size_t i = 0; i < x.rows(); ++i)
    total += (weights.empty() ? 1 : weights[i]) * static_cast<double>(x.cols());
  for_each_entry([&](double, double value) { unit = std::max(unit, std::abs(value)); });
  if (!(unit > 0) || !(total > 0)) return 1;
  double present = 0;
  for_each_entry([&](double weight, double value) {
    sum += weight * (value / unit);
    present += weight;
  });
  const double mean = sum / total;
  for_each_entry([&](double weight, double value) {
    const double apart = value / unit - mean;
    squares += weight * apart * apart;
  });
  squares += std::max(total - present, 0.0) * mean * mean;
  const double gamma = total / squares / static_cast<double>(x.cols()) / unit / unit;
  return gamma > 0 && std::isfinite(gamma) ? gamma : 1;
}

template <Real T>
KernelRows<T>::KernelRows(const Kernel& kernel, FeaturesView<T> rows)
    : KernelRows(kernel, rows, numbers_below(rows.rows())) {
  if (precomputed()) check_size("the rows of a precomputed kernel", rows.rows(), rows.cols());
}

template <Real T>
KernelRows<T>::KernelRows(const Kernel& kernel, FeaturesView<T> rows, std::vector<std::size_t> chosen)
    : kernel_(kernel), rows_(rows), chosen_(std::move(chosen)) {
  if (precomputed()) return;
  if (!rows.sparse()) {
    const std::size_t panels = (size() + values_per_block - 1) / values_per_block;
    panels_.resize(panels * values_per_block * rows.cols());
    for (std::size_t j = 0; j < size(); ++j) {
      double* panel = &panels_[j / values_per_block * values_per_block * rows.cols()] + j % values_per_block;
      rows.for_each(chosen_[j], [&](std::size_t k, double value) { panel[k * values_per_block] = value; });
    }
  }
  if (kernel.kind != Kernel::Kind::rbf) return;
  std::vector<double> row(rows.cols());
  squares_.reserve(size());
  for (const std::size_t i : chosen_) {
    write_row(rows, i, std::span(row));
    squares_.push_back(square_of(row));
  }
}

template <Real T>
KernelRows<T>::KernelRows(const Kernel& kernel, std::vector<std::size_t> columns)
    : kernel_(kernel), chosen_(std::move(columns)) {}

template <Real T>
template <Real U>
void KernelRows<T>::evaluate(const FeaturesView<U>& x, std::size_t i, std::span<double> out,
                             int threads) const {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const auto row = scratch.take<double>(x.cols());
  write_row(x, i, row);
  if (precomputed()) {
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = row[chosen_[j]] + kernel_.constant;
    return;
  }
  const double square = squares_.empty() ? 0 : square_of(row);
  for_each_block(out.size(), values_per_block, threads, [&](std::size_t begin, std::size_t end) {
    const auto part = out.subspan(begin, end - begin);
    multiply(row, begin, part);
    if (squares_.empty()) {
      for (double& value : part) value = value_of(kernel_, value);
      return;
    }
    for (std::size_t j = begin; j < end; ++j) {
      double distance = square + squares_[j] - 2 * out[j];
      if (!std::isfinite(distance))
        distance = distance_to_row(std::span<const double>(row), rows_, chosen_[j]);
      out[j] = -kernel_.gamma * std::max(distance, 0.0);
    }
    kernels::exp_non_positive(part);
    if (kernel_.constant == 0) return;
    for (double& value : part) value += kernel_.constant;
  });
}

// ‖x‖², added up in the order of ⟨x, z⟩: the distance of x to itself is 0.
template <Real T>
double KernelRows<T>::square_of(std::span<const double> x) const {
  if (rows_.sparse()) {
    double sum = 0;
    for (const double value : x) sum += value * value;
    return sum;
  }
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const auto lanes = scratch.take<double>(x.size() * lanes_of_square);
  const auto sums = scratch.take<double>(lanes_of_square);
  for (std::size_t k = 0; k < x.size(); ++k) std::fill_n(&lanes[k * lanes_of_square], lanes_of_square, x[k]);
  std::ranges::fill(sums, 0.0);
  kernels::add_scores(x, lanes.data(), sums);
  return sums[0];
}

// out_j = ⟨x, row_j⟩ for the rows from `first` on, which begin a panel.
template <Real T>
void KernelRows<T>::multiply(std::span<const double> x, std::size_t first, std::span<double> out) const {
  if (rows_.sparse()) {
    for (std::size_t j = 0; j < out.size(); ++j) {
      out[j] = 0;
      rows_.for_each(chosen_[first + j], [&](std::size_t k, double value) { out[j] += x[k] * value; });
    }
    return;
  }
  double products[values_per_block] = {};
  kernels::add_scores(x, &panels_[first * x.size()], products);
  std::copy_n(products, out.size(), out.begin());
}

template <Real T>
double kernel_diagonal(const Kernel& kernel, const FeaturesView<T>& x, std::size_t i) {
  if (kernel.kind == Kernel::Kind::rbf) return 1 + kernel.constant;
  double sum = 0;
  if (kernel.kind == Kernel::Kind::precomputed) {
    x.for_each(i, [&](std::size_t k, double value) { sum += k == i ? value : 0; });
    return sum + kernel.constant;
  }
  x.for_each(i, [&](std::size_t, double value) { sum += value * value; });
  return value_of(kernel, sum);
}

template class KernelRows<float>;
template class KernelRows<double>;
template void KernelRows<float>::evaluate(const FeaturesView<float>&, std::size_t, std::span<double>,
                                          int) const;
template void KernelRows<double>::evaluate(const FeaturesView<float>&, std::size_t, std::span<double>,
                                           int) const;
template void KernelRows<double>::evaluate(const FeaturesView<double>&, std::size_t, std::span<double>,
                                           int) const;
template double default_gamma(const FeaturesView<float>&, std::span<const double>);
template double default_gamma(const FeaturesView<double>&, std::span<const double>);
template double kernel_diagonal(const Kernel&, const FeaturesView<float>&, std::size_t);
template double kernel_diagonal(const Kernel&, const FeaturesView<double>&, std::size_t);

}  // namespace fenchel
