// SPDX-License-Identifier: Apache-2.0
// Binary margin losses φ*(−ys) with φ(p) = Ω([p, 1 − p]) (paper §4.4). They are L_Ω([s, 0]; e_1) for y = +1
// and L_Ω([s, 0]; e_2) for y = −1; the unit cube's loss at [s, −s] is twice φ*(−ys) (paper §6.1).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "fenchel/regularizers/any.hpp"

namespace fenchel::binary {

/// A loss value and its derivative in the score s.
struct Sample {
  double value = 0;
  double derivative = 0;
};

/// φ*(−ys) of any two-class Ω over the simplex with Ω(e_1) = Ω(e_2) = 0; y is +1 or −1.
Sample margin_loss(const AnyRegularizer& omega, double s, int y);

/// log(1 + e^{−ys}): φ is the Shannon negentropy.
Sample logistic(double s, int y);
/// φ(p) = p² − p (Gini): 0 beyond the margin, linear on the wrong side, ¼(1 − ys)² between.
Sample modified_huber(double s, int y);
/// φ(p) = ½p² − p: ½ − ys, ½(1 − ys)² or 0. Not symmetric in the classes, so not a two-class Ω.
Sample smoothed_hinge(double s, int y);
/// max(0, 1 − ys): φ(p) = −p.
Sample hinge(double s, int y);
/// max(0, −ys): φ = 0.
Sample perceptron(double s, int y);

/// A loss above by its name.
struct NamedLoss {
  std::string_view name;
  Sample (*loss)(double s, int y) = nullptr;
};
/// The one list of them, for front ends.
std::span<const NamedLoss> named_losses();

}  // namespace fenchel::binary
