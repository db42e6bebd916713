// SPDX-License-Identifier: Apache-2.0
// What many tests share, compiled once: wrapping every Ω of the list takes the compiler longer than most
// tests.
#include "support.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace fenchel::test {

std::string test_name(const AnyRegularizer& omega) {
  const Spec spec = omega.spec();
  std::string name = spec.name;
  for (const char c : to_json(Spec{std::string(), spec.parameters})) {
    if (std::isalnum(static_cast<unsigned char>(c))) name.push_back(c);
    if (c == '.') name.push_back('p');
    if (c == '-') name.push_back('m');
    if (c == '"' && name.back() != '_') name.push_back('_');
  }
  return name.substr(0, 60);
}

Separable user_separable() {
  return {.g = [](double t) { return (std::pow(t, 1.7) - t) / 1.19; },
          .g_prime = [](double t) { return (1.7 * std::pow(t, 0.7) - 1) / 1.19; }};
}

bool has_text(const AnyRegularizer& omega) {
  return std::ranges::any_of(
      regularizer_list(),
      [name = omega.refined_traits().name](const RegularizerEntry& entry) { return entry.name == name; });
}

const std::vector<Named>& every_regularizer() {
  static const std::vector<Named> all = [] {
    std::vector<AnyRegularizer> omegas;
    for (const RegularizerEntry& entry : regularizer_list()) {
      if (entry.examples.front().refined_traits().domain == Domain::polytope)
        continue;  // they are in structures.hpp
      omegas.insert(omegas.end(), entry.examples.begin(), entry.examples.end());
    }
    omegas.insert(omegas.end(),
                  {Temperature{Shannon{}, 0.1}, Temperature{Tsallis{1.5}, 3}, Temperature{Norm{2}, 0.3},
                   Temperature{PairwiseSquaredHinge{}, 2}, Temperature{Sigmoid{}, 0.5},
                   Temperature{Squared{}, 4}, Constant{Tsallis{2}, 2.5}, Constant{Relu{}, -1},
                   Constant{Temperature{Tsallis{1.2}, 0.7}, 1}, user_separable()});
    std::vector<Named> named;
    for (const AnyRegularizer& omega : omegas) named.push_back({test_name(omega), omega});
    const Vector cost{0.7, 0, 1.3, 0.2};
    for (const AnyRegularizer& omega :
         std::vector<AnyRegularizer>{Shannon{}, Tsallis{1.5}, Tsallis{2.5}, Norm{1.5}, Argmax{}, Renyi{0.5},
                                     SparseSigmoid{}, Temperature{SquaredNorm{1.3}, 2}}) {
      const CostSensitive costed{omega, cost};
      named.push_back({test_name(costed), costed, cost.size()});
    }
    const CostMatrix costs{{0, 1, 2}, {0.5, 0, 1}, {3, 1, 0}};
    named.push_back({"pairwise_hinge_costs", PairwiseHinge{costs}, 3});
    named.push_back({"pairwise_smoothed_hinge_costs", PairwiseSmoothedHinge{costs}, 3});
    named.push_back({"pairwise_squared_hinge_costs", PairwiseSquaredHinge{costs}, 3});
    for (std::size_t i = 0; i < named.size(); ++i) {
      named[i].name.append("_").append(std::to_string(i));  // makes every name unique
    }
    return named;
  }();
  return all;
}

// ---------------------------------------------------------------- random input

Vector normal_vector(Random& random, std::size_t d, double spread, double shift) {
  Vector values(d);
  for (double& entry : values) entry = shift + spread * random.normal();
  return values;
}

Vector simplex_point(Random& random, std::size_t d) {
  Vector p(d);
  const double kind = random.uniform();
  if (kind < 0.3) {
    p[random.below(d)] = 1;
    return p;
  }
  double sum = 0;
  for (double& entry : p) sum += entry = (kind < 0.6 && random.uniform() < 0.5) ? 0 : random.exponential();
  if (sum == 0) p[0] = sum = 1;
  for (double& entry : p) entry /= sum;
  return p;
}

Vector interior_point(Random& random, std::size_t d) {
  Vector p(d);
  double sum = 0;
  for (double& entry : p) sum += entry = 0.05 + random.exponential();
  for (double& entry : p) entry /= sum;
  return p;
}

Vector domain_point(Random& random, std::size_t d, Domain domain) {
  if (domain == Domain::simplex) return simplex_point(random, d);
  Vector mu(d);
  for (double& entry : mu) {
    const bool edge = random.uniform() < 0.3;
    if (domain == Domain::cube) entry = edge ? std::floor(2 * random.uniform()) : random.uniform();
    if (domain == Domain::cone) entry = edge ? 0 : 2 * random.exponential();
    if (domain == Domain::reals) entry = 2 * random.normal();
  }
  return mu;
}

// ---------------------------------------------------------------- arithmetic

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] == 0 || b[j] == 0 ? 0 : a[j] * b[j];
  return sum;
}

Vector moved(Vector a, double t, const Vector& b) {
  for (std::size_t j = 0; j < a.size(); ++j) a[j] += t * b[j];
  return a;
}

Vector scaled(Vector a, double t) {
  for (double& entry : a) entry *= t;
  return a;
}

Vector shifted(Vector a, double c) {
  for (double& entry : a) entry += c;
  return a;
}

double max_abs(const Vector& a) {
  double largest = 0;
  for (const double entry : a) largest = std::abs(entry) <= largest ? largest : std::abs(entry);
  return largest;
}

double max_difference(const Vector& a, const Vector& b) { return max_abs(moved(a, -1, b)); }

double sum_of_entries(const Vector& a) {
  double sum = 0;
  for (const double entry : a) sum += entry;
  return sum;
}

Vector vertex(std::size_t d, std::size_t k) {
  Vector e(d);
  e[k] = 1;
  return e;
}

// ---------------------------------------------------------------- Ω at vectors

Vector predict(const AnyRegularizer& omega, const Vector& theta) { return Loss(omega).predict(theta); }

double loss_value(const AnyRegularizer& omega, const Vector& theta, const Vector& y) {
  return Loss(omega).value(theta, y);
}

double unclamped_loss(const AnyRegularizer& omega, Vector theta, const Vector& y) {
  operations::shift_scores(omega.refined_traits().domain, std::span(theta));
  Vector prediction(theta.size());
  omega.predict(theta, prediction, thread_workspace());
  return omega.loss(theta, y, prediction);
}

Vector link(const AnyRegularizer& omega, const Vector& mu) {
  Vector out(mu.size());
  omega.gradient(mu, out, thread_workspace());
  return out;
}

Vector prox(const AnyRegularizer& omega, const Vector& eta, double tau) {
  Vector out(eta.size());
  Loss(omega).prox(eta, tau, out);
  return out;
}

Vector jvp(const AnyRegularizer& omega, const Vector& theta, const Vector& v) {
  Vector out(theta.size());
  Loss(omega).jvp(theta, v, out);
  return out;
}

}  // namespace fenchel::test
