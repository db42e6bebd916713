// SPDX-License-Identifier: Apache-2.0
// Choose Ω; prediction, loss, gradient, margin and prox follow.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "fenchel/fenchel.hpp"

namespace {

void print(const char* title, const std::vector<double>& values) {
  std::printf("  %-10s", title);
  for (const double value : values) std::printf(" %8.4f", value);
  std::printf("\n");
}

// Shows everything that follows from Ω at one score vector, for the label 0.
template <class Omega>
void show(const char* title, const Omega& omega, const std::vector<double>& theta) {
  const fenchel::FenchelYoungLoss loss{omega};
  std::vector<double> gradient(theta.size());
  std::vector<double> prox(theta.size());
  const double value = loss.value_and_gradient(theta, 0, gradient);
  loss.prox(theta, 0.5, prox);
  const auto margin = loss.margin(theta.size());
  std::printf("%s\n", title);
  print("predict", loss.predict(theta));
  print("gradient", gradient);
  print("prox", prox);
  std::printf("  %-10s %8.4f\n", "loss", value);
  if (margin) std::printf("  %-10s %8.4f\n", "margin", *margin);
}

}  // namespace

int main() {
  const std::vector<double> theta{1.2, 0.8, -0.3, -1.0};
  show("softmax and the logistic loss", fenchel::Shannon{}, theta);
  show("1.5-entmax", fenchel::Tsallis{.alpha = 1.5}, theta);
  show("sparsemax", fenchel::Tsallis{.alpha = 2}, theta);
  show("one-vs-all logistic, on the cube", fenchel::Sigmoid{}, theta);

  // An Ω can also come from text, with the names of the command-line tool.
  show("norm entropy from text", fenchel::make_regularizer("norm:q=inf"), theta);

  // The logistic loss by its own formula: log Σ exp θ − θ_0.
  double sum = 0;
  for (const double score : theta) sum += std::exp(score);
  const double expected = std::log(sum) - theta[0];
  const double value = fenchel::FenchelYoungLoss{fenchel::Shannon{}}.value(theta, 0);
  return std::abs(value - expected) < 1e-12 ? 0 : 1;
}
