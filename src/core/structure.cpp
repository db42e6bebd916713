// SPDX-License-Identifier: Apache-2.0
#include "fenchel/core/structure.hpp"

#include <algorithm>

namespace fenchel {

double overlap(const Structure& y, const Structure& z) {
  double sum = 0;
  std::size_t j = 0;
  for (std::size_t k = 0; k < y.size(); ++k) {
    while (j < z.size() && z.indices[j] < y.indices[k]) ++j;
    if (j == z.size()) break;
    if (z.indices[j] == y.indices[k]) sum += y.value(k) * z.value(j);
  }
  return sum;
}

void write(const Structure& y, std::span<double> out) {
  std::ranges::fill(out, 0.0);
  add(y, 1, out);
}

void assign(std::span<const double> vector, Structure& out) {
  out.clear();
  bool ones = true;
  for (std::size_t j = 0; j < vector.size(); ++j) {
    if (vector[j] == 0) continue;
    out.indices.push_back(static_cast<std::uint32_t>(j));
    out.values.push_back(vector[j]);
    ones = ones && vector[j] == 1;
  }
  if (ones) out.values.clear();
}

void write(const Mixture& mixture, std::span<double> out) {
  std::ranges::fill(out, 0.0);
  for (std::size_t i = 0; i < mixture.size(); ++i) add(mixture.structures[i], mixture.weights[i], out);
}

}  // namespace fenchel
