// SPDX-License-Identifier: Apache-2.0
#include "training/verify/plain_omega.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fenchel::plain {
namespace {

double largest(std::span<const double> v) { return *std::ranges::max_element(v); }

// Brackets have a length of about 1: as many halvings leave less than double precision can tell apart.
constexpr int halvings = 64;

// The end above the root of a function that falls from positive to negative.
template <class Function>
double bisect(double low, double high, Function above_zero) {
  for (int step = 0; step < halvings; ++step) {
    const double middle = low + (high - low) / 2;
    (above_zero(middle) ? low : high) = middle;
  }
  return high;
}

// ------------------------------------------------------------ on the simplex

// Σ p log p; the conjugate is log Σ e^θ.
class Shannon final : public Omega {
 public:
  Set set() const override { return Set::simplex; }
  double value(std::span<const double> p) const override {
    double sum = 0;
    for (const double entry : p) sum += entry > 0 ? entry * std::log(entry) : 0;
    return sum;
  }
  double conjugate(std::span<const double> theta) const override {
    const double top = largest(theta);
    double sum = 0;
    for (const double entry : theta) sum += std::exp(entry - top);
    return top + std::log(sum);
  }
};

// 0; the conjugate is max θ.
class Argmax final : public Omega {
 public:
  Set set() const override { return Set::simplex; }
  double value(std::span<const double>) const override { return 0; }
  double conjugate(std::span<const double> theta) const override { return largest(theta); }
};

// Σ g(p), g(p) = (p^α − p)/(α(α − 1)). The best p ≥ 0 for a slope u has p^{α−1} = (α − 1)u + 1/α, and
// g*(u) = p^α/α. Written with expm1 and log1p, since α may be close to 1.
class Tsallis final : public Omega {
 public:
  explicit Tsallis(double alpha) : alpha_(alpha) {}
  Set set() const override { return Set::simplex; }
  double value(std::span<const double> p) const override {
    double sum = 0;
    for (const double entry : p) {
      if (entry > 0) sum += entry * std::expm1((alpha_ - 1) * std::log(entry)) / (alpha_ * (alpha_ - 1));
    }
    return sum;
  }
  double conjugate(std::span<const double> theta) const override {
    const double top = largest(theta);
    const double low = top - slope(0);  // p = 1 at the largest score
    const double high = top - slope(-std::log(static_cast<double>(theta.size())));
    const double tau = bisect(low, std::max(high, low), [&](double t) {
      double sum = 0;
      for (const double entry : theta) sum += std::exp(log_best(entry - t));
      return sum > 1;
    });
    double sum = 0;
    for (const double entry : theta) sum += std::exp(alpha_ * log_best(entry - tau));
    return tau + sum / alpha_;
  }

 private:
  // g'(p), from log p.
  double slope(double log_p) const { return std::expm1((alpha_ - 1) * log_p) / (alpha_ - 1) + 1 / alpha_; }
  double log_best(double u) const {
    const double shifted = alpha_ * (alpha_ - 1) * u;
    if (!(shifted > -1)) return -std::numeric_limits<double>::infinity();
    return (std::log1p(shifted) - std::log1p(alpha_ - 1)) / (alpha_ - 1);
  }

  double alpha_;
};

// ‖[θ − τ]₊‖_r, r > 1 or 1: scaled by the largest entry, so that powers do not overflow.
double positive_norm(std::span<const double> theta, double tau, double r) {
  const double top = largest(theta) - tau;
  if (!(top > 0)) return 0;
  double sum = 0;
  for (const double entry : theta) sum += entry > tau ? std::pow((entry - tau) / top, r) : 0;
  return top * std::pow(sum, 1 / r);
}

double norm(std::span<const double> p, double q) {
  const double top = largest(p);
  return std::isinf(q) ? top : positive_norm(p, 0, q);
}

double dual_order(double q) { return std::isinf(q) ? 1 : q / (q - 1); }

// ‖p‖_q − 1: the conjugate is 1 + the τ at which ‖[θ − τ]₊‖_r = 1, 1/q + 1/r = 1.
class Norm final : public Omega {
 public:
  explicit Norm(double q) : q_(q) {}
  Set set() const override { return Set::simplex; }
  double value(std::span<const double> p) const override { return norm(p, q_) - 1; }
  double conjugate(std::span<const double> theta) const override {
    const double top = largest(theta);
    const double r = dual_order(q_);
    return 1 + bisect(top - 1, top, [&](double t) { return positive_norm(theta, t, r) > 1; });
  }

 private:
  double q_;
};

// ½‖p‖²_q − ½: the conjugate is ½ + the least value of τ + ½‖[θ − τ]₊‖²_r, where its slope is 0.
class SquaredNorm final : public Omega {
 public:
  explicit SquaredNorm(double q) : q_(q) {}
  Set set() const override { return Set::simplex; }
  double value(std::span<const double> p) const override {
    const double length = norm(p, q_);
    return 0.5 * length * length - 0.5;
  }
  double conjugate(std::span<const double> theta) const override {
    const double top = largest(theta);
    const double r = dual_order(q_);
    const double tau = bisect(top - 1, top, [&](double t) {
      const double length = positive_norm(theta, t, r);
      if (!(length > 0)) return false;
      double sum = 0;
      for (const double entry : theta) sum += entry > t ? std::pow((entry - t) / length, r - 1) : 0;
      return length * sum > 1;
    });
    const double length = positive_norm(theta, tau, r);
    return tau + 0.5 * length * length + 0.5;
  }

 private:
  double q_;
};

// −log(S)/(1 − β), S = Σ p^β, 0 < β < 1. For every c > 0 log S ≤ S/c − 1 + log c, which makes it separable:
// with k = 1/((1 − β)c) and v = τ − θ > 0 the best p is (kβ/v)^{1/(1−β)}, worth p v (1 − β)/β.
class Renyi final : public Omega {
 public:
  explicit Renyi(double beta) : beta_(beta) {}
  Set set() const override { return Set::simplex; }
  double value(std::span<const double> p) const override {
    double sum = 0;
    for (const double entry : p) sum += entry > 0 ? std::pow(entry, beta_) : 0;
    return -std::log(sum) / (1 - beta_);
  }
  double conjugate(std::span<const double> theta) const override {
    const double top = largest(theta);
    const double ratio = beta_ / (1 - beta_);
    const auto sums = [&](double t) {
      std::pair<double, double> result{0, 0};  // of v^{−1/(1−β)} and v^{−β/(1−β)}
      for (const double entry : theta) {
        result.first += std::pow(t - entry, -1 / (1 - beta_));
        result.second += std::pow(t - entry, -ratio);
      }
      return result;
    };
    const double tau = bisect(top + ratio / static_cast<double>(theta.size()), top + ratio, [&](double t) {
      const auto [a, b] = sums(t);
      return a * ratio > b;
    });
    const auto [a, b] = sums(tau);
    const double c = std::pow(a, -beta_) * b;
    const double k = 1 / ((1 - beta_) * c);
    double total = tau + (std::log(c) - 1) / (1 - beta_);
    for (const double entry : theta) {
      total += std::pow(k * beta_ / (tau - entry), 1 / (1 - beta_)) * (tau - entry) / ratio;
    }
    return total;
  }

 private:
  double beta_;
};

// ------------------------------------------------------------ elsewhere

// Σ_j Ω([p_j, 1 − p_j]) on the cube.
class OneVsAll final : public Omega {
 public:
  explicit OneVsAll(std::unique_ptr<const Omega> entropy) : entropy_(std::move(entropy)) {}
  Set set() const override { return Set::cube; }
  double value(std::span<const double> p) const override {
    double sum = 0;
    for (const double entry : p) sum += entropy_->value(std::vector{entry, 1 - entry});
    return sum;
  }
  double conjugate(std::span<const double> theta) const override {
    double sum = 0;
    for (const double entry : theta) sum += entropy_->conjugate(std::vector{entry, 0.0});
    return sum;
  }

 private:
  std::unique_ptr<const Omega> entropy_;
};

// ½‖μ‖², on all numbers or on those ≥ 0.
class HalfSquare final : public Omega {
 public:
  explicit HalfSquare(Set set) : set_(set) {}
  Set set() const override { return set_; }
  double value(std::span<const double> mu) const override {
    double sum = 0;
    for (const double entry : mu) sum += 0.5 * entry * entry;
    return sum;
  }
  double conjugate(std::span<const double> theta) const override {
    double sum = 0;
    for (const double entry : theta) sum += set_ == Set::reals || entry > 0 ? 0.5 * entry * entry : 0;
    return sum;
  }

 private:
  Set set_;
};

// Σ m log m − m on numbers ≥ 0: the conjugate is Σ e^θ.
class Poisson final : public Omega {
 public:
  Set set() const override { return Set::cone; }
  double value(std::span<const double> mu) const override {
    double sum = 0;
    for (const double entry : mu) sum += entry > 0 ? entry * std::log(entry) - entry : 0;
    return sum;
  }
  double conjugate(std::span<const double> theta) const override {
    double sum = 0;
    for (const double entry : theta) sum += std::exp(entry);
    return sum;
  }
};

// tΩ + constant − ⟨cost, ·⟩.
class Changed final : public Omega {
 public:
  Changed(std::unique_ptr<const Omega> omega, double temperature, double constant, std::vector<double> cost)
      : omega_(std::move(omega)), temperature_(temperature), constant_(constant), cost_(std::move(cost)) {}
  Set set() const override { return omega_->set(); }
  double value(std::span<const double> mu) const override {
    double total = temperature_ * omega_->value(mu) + constant_;
    for (std::size_t j = 0; j < cost_.size(); ++j) total -= cost_[j] * mu[j];
    return total;
  }
  double conjugate(std::span<const double> theta) const override {
    std::vector<double> inner(theta.begin(), theta.end());
    for (std::size_t j = 0; j < cost_.size(); ++j) inner[j] += cost_[j];
    for (double& entry : inner) entry /= temperature_;
    return temperature_ * omega_->conjugate(inner) - constant_;
  }

 private:
  std::unique_ptr<const Omega> omega_;
  double temperature_, constant_;
  std::vector<double> cost_;
};

// ------------------------------------------------------------ by name

[[noreturn]] void refuse(const Spec& spec, std::string_view reason) {
  throw std::invalid_argument(fmt::format("omega '{}' {}", spec.name, reason));
}

double number(const Spec& spec, std::string_view key, double otherwise) {
  const SpecValue* value = spec.find(key);
  if (!value) return otherwise;
  if (const auto* found = std::get_if<double>(value)) return *found;
  refuse(spec, fmt::format("has a parameter '{}' that is not a number", key));
}

const Spec& nested(const Spec& spec, std::string_view key) {
  const SpecValue* value = spec.find(key);
  const auto* found = value ? std::get_if<std::shared_ptr<const Spec>>(value) : nullptr;
  if (!found) refuse(spec, fmt::format("does not say its '{}'", key));
  return **found;
}

std::unique_ptr<const Omega> tsallis(double alpha) {
  if (alpha == 1) return std::make_unique<Shannon>();
  if (std::isinf(alpha)) return std::make_unique<Argmax>();
  return std::make_unique<Tsallis>(alpha);
}

std::unique_ptr<const Omega> renyi(const Spec& spec) {
  const double beta = number(spec, "beta", 0.5);
  if (beta == 1) return std::make_unique<Shannon>();
  if (beta > 1) refuse(spec, "is not convex for beta > 1: its dual proves nothing about the optimum");
  if (!(beta > 0)) refuse(spec, "is a limit for beta = 0");
  return std::make_unique<Renyi>(beta);
}

std::unique_ptr<const Omega> one_vs_all(std::unique_ptr<const Omega> entropy) {
  return std::make_unique<OneVsAll>(std::move(entropy));
}

std::unique_ptr<const Omega> base_omega(const Spec& spec) {
  const std::string& name = spec.name;
  if (name == "shannon") return std::make_unique<Shannon>();
  if (name == "argmax") return std::make_unique<Argmax>();
  if (name == "tsallis") return tsallis(number(spec, "alpha", 1.5));
  if (name == "norm") return std::make_unique<Norm>(number(spec, "q", 2));
  if (name == "squared_norm") return std::make_unique<SquaredNorm>(number(spec, "q", 1.5));
  if (name == "renyi") return renyi(spec);
  if (name == "sigmoid") return one_vs_all(tsallis(1));
  if (name == "sparse_sigmoid") return one_vs_all(tsallis(2));
  if (name == "tsallis_sigmoid") return one_vs_all(tsallis(number(spec, "alpha", 1.5)));
  if (name == "squared") return std::make_unique<HalfSquare>(Set::reals);
  if (name == "relu") return std::make_unique<HalfSquare>(Set::cone);
  if (name == "poisson") return std::make_unique<Poisson>();
  if (name == "map" && nested(spec, "polytope").name == "cube") return one_vs_all(tsallis(INFINITY));
  if (name == "one_vs_all") {
    auto entropy = make_omega(nested(spec, "entropy"));
    if (entropy->set() != Set::simplex) refuse(spec, "is made from an omega that is not over the simplex");
    return one_vs_all(std::move(entropy));
  }
  refuse(spec, "has no plain formulas to verify a model by");
}

}  // namespace

std::unique_ptr<const Omega> make_omega(const Spec& spec) {
  auto omega = base_omega(spec);
  const double temperature = number(spec, "temperature", 1);
  const double constant = number(spec, "constant", 0);
  std::vector<double> cost;
  if (const SpecValue* value = spec.find("cost")) {
    const auto* list = std::get_if<std::vector<double>>(value);
    if (!list) refuse(spec, "has a cost that is not a list of numbers");
    cost = *list;
  }
  if (temperature == 1 && constant == 0 && cost.empty()) return omega;
  return std::make_unique<Changed>(std::move(omega), temperature, constant, std::move(cost));
}

}  // namespace fenchel::plain
