// SPDX-License-Identifier: Apache-2.0
#include "training/verify/plain_models.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fenchel::plain {
namespace {

// Moments are sums in another order than in training: this much of the largest value is rounding.
constexpr double moment_tolerance = 1e-8;

// Calls body(j, value) for the entries of row i as they were read.
template <class Body>
void for_each_entry(const Features& x, std::size_t i, Body body) {
  x.visit([&](const auto& rows) { rows.for_each(i, body); });
}

// Row i of the scaled features.
std::vector<double> scaled_row(const Features& x, const Scaler& scaler, std::size_t i) {
  std::vector<double> row(x.cols(), 0.0);
  for_each_entry(x, i, [&](std::size_t j, double value) { row[j] = value; });
  if (scaler.scaling == Scaling::none) return row;
  for (std::size_t j = 0; j < row.size(); ++j) {
    row[j] = (row[j] - (scaler.mean.empty() ? 0 : scaler.mean[j])) / scaler.scale[j];
  }
  return row;
}

double soft(double value, double level) { return std::max(std::abs(value) - level, 0.0); }

// θ = Wᵀx + b.
class Linear final : public Model {
 public:
  Linear(const LinearModel& model, const Features& x, const Certificate& certificate)
      : model_(model),
        x_(x),
        strengths_(strengths_of(certificate)),
        radius_(radius_of(model, strengths_)),
        penalised_intercept_(certificate.intercept == "penalised"),
        v_(model.features() + 1, model.outputs()),
        shift_(model.outputs()) {
    // What centring adds to all scores alike.
    for (std::size_t j = 0; j < model.scaler.mean.size(); ++j) {
      const double center = model.scaler.mean[j] / model.scaler.scale[j];
      for (std::size_t k = 0; k < shift_.size(); ++k) shift_[k] -= center * model.weights(j, k);
    }
    for (std::size_t k = 0; k < model.intercept.size(); ++k) shift_[k] += model.intercept[k];
  }

  void scores(std::size_t i, std::span<double> theta) const override {
    std::ranges::copy(shift_, theta.begin());
    for_each_entry(x_, i, [&](std::size_t j, double value) {
      const double scaled = value / scale(j);
      for (std::size_t k = 0; k < theta.size(); ++k) theta[k] += scaled * model_.weights(j, k);
    });
  }

  double penalty() const override {
    long double total = 0;
    for (std::size_t j = 0; j < model_.features(); ++j) total += penalty_of(model_.weights.row(j));
    if (penalised_intercept_) total += penalty_of(model_.intercept);
    return static_cast<double>(total);
  }

  // Centring is left for the end: rows have few entries, and it would fill them. The last row is that of the
  // intercept, Σ r.
  void add(std::size_t i, std::span<const double> r) override {
    for_each_entry(x_, i, [&](std::size_t j, double value) {
      const double scaled = value / scale(j);
      for (std::size_t k = 0; k < r.size(); ++k) v_(j, k) += scaled * r[k];
    });
    for (std::size_t k = 0; k < r.size(); ++k) v_(model_.features(), k) += r[k];
  }

  double largest_factor() const override {
    if (strengths_.l2 > 0 || strengths_.none()) return 1;
    double factor = 1;
    for_each_row([&](std::span<const double> row) {
      double square = 0;
      for (const double entry : row) {
        square += entry * entry;
        if (strengths_.group == 0) factor = std::min(factor, strengths_.l1 / std::abs(entry));
      }
      if (strengths_.group > 0) factor = std::min(factor, strengths_.group / std::sqrt(square));
    });
    return factor;
  }

  double conjugate(double factor) const override {
    if (strengths_.l2 == 0 && !strengths_.none()) return 0;
    long double squares = 0;
    for_each_row([&](std::span<const double> row) {
      for (const double entry : row) {
        const double rest = soft(factor * entry, strengths_.l1);
        squares += rest * rest;
      }
    });
    // Without a penalty: the largest ⟨V, W⟩ over all W of a norm up to the radius.
    if (strengths_.none()) return radius_ * std::sqrt(static_cast<double>(squares));
    return static_cast<double>(squares) / (2 * strengths_.l2);
  }

 private:
  double scale(std::size_t j) const { return model_.scaler.scale.empty() ? 1 : model_.scaler.scale[j]; }

  double penalty_of(std::span<const double> row) const {
    double squares = 0, sum = 0;
    for (const double entry : row) {
      squares += entry * entry;
      sum += std::abs(entry);
    }
    return 0.5 * strengths_.l2 * squares + strengths_.l1 * sum + strengths_.group * std::sqrt(squares);
  }

  // The rows of V that are penalised.
  template <class Body>
  void for_each_row(Body body) const {
    std::vector<double> row(model_.outputs());
    const auto sums = v_.row(model_.features());
    for (std::size_t j = 0; j < model_.features(); ++j) {
      const double center = model_.scaler.mean.empty() ? 0 : model_.scaler.mean[j] / scale(j);
      for (std::size_t k = 0; k < row.size(); ++k) row[k] = v_(j, k) - center * sums[k];
      body(std::span<const double>(row));
    }
    if (penalised_intercept_) body(std::span<const double>(sums));
  }

  const LinearModel& model_;
  const Features& x_;
  Strengths strengths_;
  double radius_;
  bool penalised_intercept_;
  Matrix<double> v_;
  std::vector<double> shift_;
};

double kernel_value(const Kernel& kernel, std::span<const double> a, std::span<const double> b) {
  double product = 0, distance = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    product += a[j] * b[j];
    distance += (a[j] - b[j]) * (a[j] - b[j]);
  }
  switch (kernel.kind) {
    case Kernel::Kind::rbf:
      return std::exp(-kernel.gamma * distance) + kernel.constant;
    case Kernel::Kind::polynomial:
      return std::pow(kernel.gamma * product + kernel.coef0, static_cast<double>(kernel.degree)) +
             kernel.constant;
    default:
      return product + kernel.constant;
  }
}

// θ(x) = Σ_s a_s k(z_s, x), G = (λ/2)‖f‖² = (λ/2) Σ_st ⟨a_s, a_t⟩ k(z_s, z_t).
class Expansion final : public Model {
 public:
  Expansion(const KernelPredictor& model, const Features& x, const Certificate& certificate)
      : expansion_(model.expansion),
        x_(x),
        scaler_(model.scaler),
        l2_(strengths_of(certificate).l2),
        residuals_(x.rows(), model.outputs()) {
    if (certificate.penalty != "l2" || !(l2_ > 0)) {
      throw std::invalid_argument("the certificate of a kernel model needs the penalty l2 with lambda > 0");
    }
    if (precomputed() && x.rows() != x.cols()) {
      throw std::invalid_argument(
          fmt::format("a precomputed kernel of {} rows and {} columns", x.rows(), x.cols()));
    }
    for (std::size_t s = 0; !precomputed() && s < expansion_.coefficients.rows(); ++s) {
      support_.push_back(support_row(s));
    }
  }

  void scores(std::size_t i, std::span<double> theta) const override {
    const std::vector<double> row = scaled_row(x_, scaler_, i);
    std::ranges::fill(theta, 0.0);
    for (std::size_t s = 0; s < expansion_.coefficients.rows(); ++s) {
      const double value = precomputed() ? row[expansion_.support[s]] + expansion_.kernel.constant
                                         : kernel_value(expansion_.kernel, support_[s], row);
      add_coefficients(s, value, theta);
    }
  }

  double penalty() const override {
    std::vector<double> sum(expansion_.outputs);
    long double total = 0;
    for (std::size_t s = 0; s < expansion_.coefficients.rows(); ++s) {
      std::ranges::fill(sum, 0.0);
      const std::vector<double> row =
          precomputed() ? scaled_row(x_, scaler_, expansion_.support[s]) : support_[s];
      for (std::size_t t = 0; t < expansion_.coefficients.rows(); ++t) {
        add_coefficients(t,
                         precomputed() ? row[expansion_.support[t]] + expansion_.kernel.constant
                                       : kernel_value(expansion_.kernel, row, support_[t]),
                         sum);
      }
      std::vector<double> own(expansion_.outputs);
      add_coefficients(s, 1, own);
      for (std::size_t k = 0; k < own.size(); ++k) total += own[k] * sum[k];
    }
    return 0.5 * l2_ * static_cast<double>(total);
  }

  void add(std::size_t i, std::span<const double> r) override {
    std::ranges::copy(r, residuals_.row(i).begin());
  }
  double largest_factor() const override { return 1; }

  // ‖Σ_i r_i k(x_i, ·)‖²/(2λ).
  double conjugate(double factor) const override {
    std::vector<std::size_t> used;
    std::vector<std::vector<double>> rows;
    for (std::size_t i = 0; i < residuals_.rows(); ++i) {
      if (std::ranges::all_of(residuals_.row(i), [](double r) { return r == 0; })) continue;
      used.push_back(i);
      rows.push_back(scaled_row(x_, scaler_, i));
    }
    long double total = 0;
    for (std::size_t a = 0; a < used.size(); ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        const double value = precomputed() ? rows[a][used[b]] + expansion_.kernel.constant
                                           : kernel_value(expansion_.kernel, rows[a], rows[b]);
        double product = 0;
        for (std::size_t k = 0; k < expansion_.outputs; ++k) {
          product += residuals_(used[a], k) * residuals_(used[b], k);
        }
        total += (a == b ? 1 : 2) * value * product;
      }
    }
    return factor * factor * static_cast<double>(total) / (2 * l2_);
  }

 private:
  bool precomputed() const { return expansion_.kernel.kind == Kernel::Kind::precomputed; }

  std::vector<double> support_row(std::size_t s) const {
    std::vector<double> row(expansion_.features, 0.0);
    if (!expansion_.dense.empty()) {
      std::ranges::copy(expansion_.dense.row(s), row.begin());
    } else {
      const CsrMatrix<double>& sparse = expansion_.sparse;
      for (auto e = static_cast<std::size_t>(sparse.offsets[s]);
           e < static_cast<std::size_t>(sparse.offsets[s + 1]); ++e) {
        row[static_cast<std::size_t>(sparse.indices[e])] = sparse.values[e];
      }
    }
    return row;
  }

  void add_coefficients(std::size_t s, double factor, std::span<double> out) const {
    const CsrMatrix<double>& a = expansion_.coefficients;
    for (auto e = static_cast<std::size_t>(a.offsets[s]); e < static_cast<std::size_t>(a.offsets[s + 1]);
         ++e) {
      out[static_cast<std::size_t>(a.indices[e])] += factor * a.values[e];
    }
  }

  const KernelModel& expansion_;
  const Features& x_;
  const Scaler& scaler_;
  double l2_;
  std::vector<std::vector<double>> support_;
  Matrix<double> residuals_;
};

}  // namespace

Strengths strengths_of(const Certificate& certificate) {
  const auto& [lambda, rho] = std::pair(certificate.lambda, certificate.rho);
  const std::string& name = certificate.penalty;
  if (!(lambda >= 0 && rho >= 0)) {
    throw std::invalid_argument(
        fmt::format("the certificate has lambda {} and rho {}; expected numbers >= 0", lambda, rho));
  }
  if (name == "none") return {};
  if (name == "l2") return {.l2 = lambda};
  if (name == "l1") return {.l1 = lambda};
  if (name == "elastic_net") return {.l2 = lambda, .l1 = lambda * rho};
  if (name == "group_lasso") return {.group = lambda};
  throw std::invalid_argument(
      fmt::format("the certificate has the unknown penalty '{}'", name.substr(0, 80)));
}

double radius_of(const LinearModel& model, const Strengths& strengths) {
  if (!strengths.none()) return std::numeric_limits<double>::infinity();
  double squares = 0;
  for (const double weight : model.weights.entries()) squares += weight * weight;
  for (const double entry : model.intercept) squares += entry * entry;
  return radius_factor * std::max(std::sqrt(squares), 1.0);
}

std::unique_ptr<Model> plain_model(const LinearModel& model, const Features& x,
                                   const Certificate& certificate) {
  return std::make_unique<Linear>(model, x, certificate);
}
std::unique_ptr<Model> plain_model(const KernelPredictor& model, const Features& x,
                                   const Certificate& certificate) {
  return std::make_unique<Expansion>(model, x, certificate);
}

void check_scaling(const Scaler& scaler, const Features& x, std::span<const double> weights) {
  if (scaler.scaling == Scaling::none) return;
  const std::size_t features = x.cols();
  std::vector<long double> sums(features), squares(features);
  std::vector<double> largest(features);
  long double rows = 0;  // their weight
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    rows += weight;
    for_each_entry(x, i, [&](std::size_t j, double value) {
      sums[j] += static_cast<long double>(weight) * value;
      if (weight > 0) largest[j] = std::max(largest[j], std::abs(value));
    });
  }
  const bool standard = scaler.scaling == Scaling::standard;
  for (std::size_t j = 0; standard && j < features; ++j) sums[j] /= rows;
  for (std::size_t i = 0; standard && i < x.rows(); ++i) {
    const long double weight = weights.empty() ? 1 : weights[i];
    // Entries that are not stored are 0: they are counted as such, and taken back where there is one.
    for_each_entry(x, i, [&](std::size_t j, double value) {
      squares[j] += weight * ((value - sums[j]) * (value - sums[j]) - sums[j] * sums[j]);
    });
  }
  for (std::size_t j = 0; j < features; ++j) {
    const auto mean = standard ? static_cast<double>(sums[j]) : 0;
    double scale = standard
                       ? static_cast<double>(std::sqrt(std::max(squares[j] / rows + sums[j] * sums[j], 0.0L)))
                       : largest[j];
    if (scale <= moment_tolerance * largest[j]) scale = scaler.scale[j];  // a constant: rounding decides
    const double error =
        std::abs(scaler.scale[j] - scale) + (scaler.mean.empty() ? 0 : std::abs(scaler.mean[j] - mean));
    if (!(error <= moment_tolerance * std::max(largest[j], std::abs(scale)))) {
      throw std::invalid_argument(
          fmt::format("feature {} is scaled by {} and moved by {}; the data say {} and {}", j,
                      scaler.scale[j], scaler.mean.empty() ? 0 : scaler.mean[j], scale, mean));
    }
  }
}

}  // namespace fenchel::plain
