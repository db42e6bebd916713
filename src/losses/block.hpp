// SPDX-License-Identifier: Apache-2.0
// A block of rows: predictions, losses and gradients of each, by Ω's kernel where it has one, else row by row
// in double precision. The loop over blocks and threads is batch.cpp's.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/losses/batch_options.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/losses/targets.hpp"
#include "losses/row_loss.hpp"

namespace fenchel::batch {

// How messages name a row: by its index, or not at all (−1) where the caller passed a single vector.
inline std::ptrdiff_t row_name(const BatchOptions& options, std::size_t row) {
  return options.one_vector ? -1 : static_cast<std::ptrdiff_t>(options.first_row + row);
}

// The length of a row where Ω fixes it.
inline void check_dimension(const AnyRegularizer& omega, std::string_view name, std::size_t size) {
  const auto dimension = omega.dimension();
  if (!dimension || size == *dimension) return;
  throw std::invalid_argument(fmt::format("{} has {} {}; expected {}, the dimension of {}", name, size,
                                          size == 1 ? "entry" : "entries", *dimension,
                                          to_json(omega.spec())));
}

// As many rows and columns as another matrix has.
template <Real T>
void check_shape(std::string_view name, MatrixView<const T> other, MatrixView<const T> like) {
  if (other.rows() == like.rows() && other.cols() == like.cols()) return;
  throw std::invalid_argument(fmt::format("{} is {} x {}; expected {} x {}", name, other.rows(), other.cols(),
                                          like.rows(), like.cols()));
}

// One weight ≥ 0 per row, or none at all.
inline void check_weights(std::span<const double> weights, std::size_t rows) {
  if (weights.empty()) return;
  check_size("weights", weights.size(), rows);
  for (std::size_t i = 0; i < rows; ++i) {
    if (!(weights[i] >= 0) || !std::isfinite(weights[i])) {
      throw std::invalid_argument(
          fmt::format("weights[{}] is {}; expected a finite number >= 0", i, weights[i]));
    }
  }
}

// One row in double precision: the scores, shifted by their maximum on the simplex.
struct Row {
  std::span<double> theta;
  double shift = 0;
};

template <Real T>
Row load_scores(const AnyRegularizer& omega, std::span<const T> theta, Domain domain, std::ptrdiff_t row,
                Workspace& scratch) {
  check_scores("theta", theta, domain, row);
  Row loaded{scratch.take<double>(theta.size())};
  std::ranges::transform(theta, loaded.theta.begin(), [](T score) { return static_cast<double>(score); });
  loaded.shift = operations::shift_scores(domain, loaded.theta);
  if (domain == Domain::polytope) {
    omega.check_scores(row < 0 ? "theta" : fmt::format("theta[{}]", row), loaded.theta);
  }
  return loaded;
}

template <Real T>
void store(std::span<const double> values, std::span<T> out) {
  std::ranges::transform(values, out.begin(), [](double value) { return static_cast<T>(value); });
}

// A label stands for e_k, which is not a structure of most polytopes.
inline void check_takes_labels(Domain domain) {
  if (domain != Domain::polytope) return;
  throw std::invalid_argument("y is a label; expected the vector of a structure");
}

// The label of a row: in range, and of a class that is not masked.
template <Real T>
std::size_t checked_label(const Targets<T>& y, std::size_t row, std::span<const T> theta,
                          std::ptrdiff_t name) {
  const std::int64_t label = y.label(row);
  check_label("y", label, theta.size(), name);
  const auto k = static_cast<std::size_t>(label);
  if (theta[k] == -std::numeric_limits<T>::infinity()) {
    throw std::invalid_argument(fmt::format("{} is {} but {} is -inf; a masked output can have no mass",
                                            name < 0 ? "y" : fmt::format("y[{}]", name), k,
                                            entry_name("theta", name, k)));
  }
  return k;
}

// The target of a row in double precision, checked.
template <Real T>
std::span<double> load_target(const AnyRegularizer& omega, const Targets<T>& y, std::size_t row,
                              std::span<const T> theta, std::ptrdiff_t name, Workspace& scratch) {
  const Domain domain = omega.refined_traits().domain;
  const auto target = scratch.take<double>(theta.size());
  if (y.are_labels()) {
    check_takes_labels(domain);
    checked_label(y, row, theta, name);
    y.write(row, target);
    return target;
  }
  const auto source = y.rows().row(row);
  check_point("y", source, domain, name);
  check_mass_on_masks(theta, source, name);
  y.write(row, target);
  omega.check_point(name < 0 ? "y" : fmt::format("y[{}]", name), target);
  return target;
}

// Ω(y), or the loss, by `compute`; what it finds wrong with its point is said of y.
template <class Compute>
double of_target(std::ptrdiff_t row, Compute compute) {
  try {
    return compute();
  } catch (const OutsideDomain& outside) {
    throw OutsideDomain(row < 0 ? "y" : fmt::format("y[{}]", row), outside.problem());
  }
}

// Scores that a kernel refused although each of them is a score.
template <Real T>
[[noreturn]] void reject_scores(const AnyRegularizer& omega, std::span<const T> theta, std::ptrdiff_t row) {
  const std::vector<double> scores(theta.begin(), theta.end());
  omega.check_scores(row < 0 ? "theta" : fmt::format("theta[{}]", row), scores);
  throw std::invalid_argument(
      fmt::format("theta masks every structure{}; at least one must keep finite scores",
                  row < 0 ? "" : fmt::format(" in row {}", row)));
}

template <Real T>
struct Block {
  const FenchelYoungLoss& loss;
  const BatchOptions& options;
  Domain domain;
  bool by_kernel;
  MatrixView<const T> theta;
  std::size_t first;  // the index of its first row in the targets
  std::size_t named;  // the index of its first row in messages

  const AnyRegularizer& omega() const { return loss.omega(); }
  std::ptrdiff_t name(std::size_t i) const { return row_name(options, named + i); }

  // ŷ and, if wanted, the summaries of every row.
  Report predict(MatrixView<T> out, RowSummaries summaries, Workspace& scratch) const {
    if (by_kernel) {
      const std::size_t bad = omega().predict_block(theta, out, summaries);
      if (bad < theta.rows()) {
        check_scores("theta", theta.row(bad), domain, name(bad));
        if (domain == Domain::polytope) reject_scores(omega(), theta.row(bad), name(bad));
        // The kernel has overwritten the row: what was wrong can no longer be shown.
        throw std::invalid_argument(fmt::format("theta holds nan or +inf, or nothing but -inf{}",
                                                name(bad) < 0 ? "" : fmt::format(", in row {}", name(bad))));
      }
      return {};
    }
    Report report;
    for (std::size_t i = 0; i < theta.rows(); ++i) {
      const Workspace::Frame frame(scratch);
      const Row row = load_scores(omega(), theta.row(i), domain, name(i), scratch);
      const auto mu = scratch.take<double>(theta.cols());
      report = worst(report, omega().predict(row.theta, mu, scratch));
      if (summaries.wanted()) {
        summaries.shift[i] = row.shift;
        summaries.conjugate[i] = omega().conjugate(row.theta, mu);
      }
      store<T>(mu, out.row(i));
    }
    return report;
  }

  // Losses from the kernel's summaries: Ω(y) + Ω*(θ − m) − ⟨θ − m, y⟩; then out becomes ŷ − y.
  Report loss_by_kernel(const Targets<T>& y, std::span<double> losses, MatrixView<T> out,
                        Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    const std::size_t rows = theta.rows();
    const RowSummaries summaries{scratch.take<double>(rows), scratch.take<double>(rows)};
    const auto picked = scratch.take<T>(rows);
    MatrixView<const T> scores = theta;
    if (y.are_labels()) {
      check_takes_labels(domain);
      // Taken first: the prediction may overwrite the scores.
      for (std::size_t i = 0; i < rows; ++i)
        picked[i] = theta.row(i)[checked_label(y, first + i, theta.row(i), name(i))];
    } else if (out.data() == theta.data()) {
      const auto copy = scratch.take<T>(rows * theta.cols());
      for (std::size_t i = 0; i < rows; ++i)
        std::ranges::copy(theta.row(i), copy.begin() + static_cast<std::ptrdiff_t>(i * theta.cols()));
      scores = {copy.data(), rows, theta.cols()};
    }
    const bool free_vertices = omega().refined_traits().zero_at_vertices;
    const Report report = predict(out, summaries, scratch);
    for (std::size_t i = 0; i < rows; ++i) {
      double value = 0;
      if (y.are_labels()) {
        const auto k = static_cast<std::size_t>(y.label(first + i));
        value = summaries.conjugate[i] - (static_cast<double>(picked[i]) - summaries.shift[i]);
        if (!free_vertices) value += vertex_value(k, scratch);
        out.row(i)[k] -= 1;
      } else {
        value = proportion_loss(y, i, scores.row(i), summaries, scratch);
        const auto target = y.rows().row(first + i);
        const auto difference = out.row(i);
        for (std::size_t j = 0; j < target.size(); ++j) difference[j] -= target[j];
      }
      losses[i] = clamped(value);
    }
    return report;
  }

  Report loss_by_rows(const Targets<T>& y, std::span<double> losses, MatrixView<T> out,
                      Workspace& scratch) const {
    Report report;
    for (std::size_t i = 0; i < theta.rows(); ++i) {
      const Workspace::Frame frame(scratch);
      const Row row = load_scores(omega(), theta.row(i), domain, name(i), scratch);
      const auto target = load_target(omega(), y, first + i, theta.row(i), name(i), scratch);
      const auto mu = scratch.take<double>(theta.cols());
      losses[i] = of_target(name(i), [&] {
        return loss_and_residual(omega(), row.theta, target, {mu, report}, scratch);
      });
      store<T>(mu, out.row(i));
    }
    return report;
  }

 private:
  double vertex_value(std::size_t k, Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    const auto vertex = scratch.take<double>(theta.cols());
    std::ranges::fill(vertex, 0.0);
    vertex[k] = 1;
    return omega().value(vertex);
  }

  double proportion_loss(const Targets<T>& y, std::size_t i, std::span<const T> scores,
                         RowSummaries summaries, Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    const auto target = load_target(omega(), y, first + i, scores, name(i), scratch);
    double value = of_target(name(i), [&] { return omega().value(target); }) + summaries.conjugate[i];
    for (std::size_t j = 0; j < target.size(); ++j) {
      if (target[j] != 0) value -= (static_cast<double>(scores[j]) - summaries.shift[i]) * target[j];
    }
    return value;
  }
};

// θ + c_y, in place of θ, for a block.
template <Real T>
MatrixView<const T> with_costs(const Block<T>& block, const Targets<T>& y, Workspace& scratch) {
  const std::size_t d = block.theta.cols();
  const auto memory = scratch.take<T>(block.theta.rows() * d);
  const MatrixView<T> augmented(memory.data(), block.theta.rows(), d);
  for (std::size_t i = 0; i < augmented.rows(); ++i) {
    const Workspace::Frame frame(scratch);
    const auto source = block.theta.row(i);
    check_scores("theta", source, block.domain, block.name(i));
    const auto target = load_target(block.omega(), y, block.first + i, source, block.name(i), scratch);
    const auto added = scratch.take<double>(d);
    block.loss.cost().write(target, added);
    const auto row = augmented.row(i);
    for (std::size_t j = 0; j < d; ++j) row[j] = static_cast<T>(static_cast<double>(source[j]) + added[j]);
  }
  return augmented;
}

// Losses of a block into `values`, weighted, and the gradients into `out`.
template <Real T>
Report losses_of(Block<T> block, const Targets<T>& y, std::span<const double> weights,
                 std::span<double> values, MatrixView<T> out, Workspace& scratch) {
  if (!block.loss.cost().empty()) block.theta = with_costs(block, y, scratch);
  const Report report = block.by_kernel ? block.loss_by_kernel(y, values, out, scratch)
                                        : block.loss_by_rows(y, values, out, scratch);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double weight = weights[i];
    values[i] = weight == 0 ? 0 : weight * values[i];  // 0 · inf counts as nothing
    for (T& entry : out.row(i)) entry = weight == 0 ? 0 : entry * static_cast<T>(weight);
  }
  return report;
}

// Ω* of every row of a block.
template <Real T>
Report conjugates_of(const Block<T>& block, std::span<double> out, Workspace& scratch) {
  const std::size_t rows = block.theta.rows(), cols = block.theta.cols();
  const auto dense = scratch.take<T>(rows * cols);
  const RowSummaries summaries{scratch.take<double>(rows), scratch.take<double>(rows)};
  const Report report = block.predict({dense.data(), rows, cols}, summaries, scratch);
  for (std::size_t i = 0; i < rows; ++i) out[i] = summaries.shift[i] + summaries.conjugate[i];
  return report;
}

// J v of every row of a block, by Ω's kernels: false where it lacks one of them.
template <Real T>
bool jvps_by_kernel(const Block<T>& block, MatrixView<const T> v, MatrixView<T> out, Workspace& scratch) {
  constexpr MatrixView<const T> no_rows;  // asks whether there is a kernel
  if (!block.by_kernel || !block.omega().jvp_block(no_rows, no_rows, MatrixView<T>())) return false;
  const std::size_t rows = block.theta.rows(), cols = block.theta.cols();
  for (std::size_t i = 0; i < rows; ++i) check_finite("v", v.row(i), block.name(i));
  const MatrixView<T> prediction(scratch.take<T>(rows * cols).data(), rows, cols);
  block.predict(prediction, {}, scratch);
  return block.omega().jvp_block(MatrixView<const T>(prediction), v, out);
}

// J v of every row of a block.
template <Real T>
Report jvps_of(const Block<T>& block, MatrixView<const T> v, MatrixView<T> out, Workspace& scratch) {
  if (jvps_by_kernel(block, v, out, scratch)) return {};
  Report report;
  const std::size_t cols = block.theta.cols();
  for (std::size_t i = 0; i < block.theta.rows(); ++i) {
    const Workspace::Frame frame(scratch);
    const Row row = load_scores(block.omega(), block.theta.row(i), block.domain, block.name(i), scratch);
    check_finite("v", v.row(i), block.name(i));
    const auto mu = scratch.take<double>(cols);
    const auto wide = scratch.take<double>(cols);
    const auto product = scratch.take<double>(cols);
    std::ranges::transform(v.row(i), wide.begin(), [](T entry) { return static_cast<double>(entry); });
    report = worst(report, block.omega().predict(row.theta, mu, scratch));
    block.omega().jvp(row.theta, mu, wide, product, scratch);
    store<T>(product, out.row(i));
  }
  return report;
}

// prox of every row of a block.
template <Real T>
Report proxes_of(const Block<T>& block, double tau, MatrixView<T> out, Workspace& scratch) {
  Report report;
  const std::size_t cols = block.theta.cols();
  for (std::size_t i = 0; i < block.theta.rows(); ++i) {
    const Workspace::Frame frame(scratch);
    check_finite("eta", block.theta.row(i), block.name(i));
    const auto point = scratch.take<double>(cols);
    const auto mu = scratch.take<double>(cols);
    std::ranges::transform(block.theta.row(i), point.begin(),
                           [](T entry) { return static_cast<double>(entry); });
    report = worst(report, block.omega().prox(point, tau, mu, scratch));
    store<T>(mu, out.row(i));
  }
  return report;
}

}  // namespace fenchel::batch
