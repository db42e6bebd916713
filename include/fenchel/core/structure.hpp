// SPDX-License-Identifier: Apache-2.0
// A structure y ∈ Y (a sequence, a tree, an alignment, …) as the non-zero entries of its vector, and mixtures
// of structures. A structure has far fewer entries than its vector, so sets of them are kept in this form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fenchel {

/// A vertex of conv(Y): its non-zero entries in increasing order of index.
struct Structure {
  std::vector<std::uint32_t> indices;
  std::vector<double> values;  ///< one per index; empty where all of them are 1

  std::size_t size() const { return indices.size(); }
  double value(std::size_t k) const { return values.empty() ? 1 : values[k]; }
  void clear() {
    indices.clear();
    values.clear();
  }
  friend bool operator==(const Structure&, const Structure&) = default;
};

/// ⟨θ, y⟩; entries outside y are not looked at, so that masks (−inf) there do no harm.
inline double dot(const Structure& y, std::span<const double> theta) {
  double sum = 0;
  if (y.values.empty()) {
    for (const std::uint32_t index : y.indices) sum += theta[index];
  } else {
    for (std::size_t k = 0; k < y.size(); ++k) sum += theta[y.indices[k]] * y.values[k];
  }
  return sum;
}

/// ⟨y, z⟩.
double overlap(const Structure& y, const Structure& z);

/// out += weight · y.
inline void add(const Structure& y, double weight, std::span<double> out) {
  for (std::size_t k = 0; k < y.size(); ++k) out[y.indices[k]] += weight * y.value(k);
}

/// The dense vector of y.
void write(const Structure& y, std::span<double> out);

/// The structure of a dense vector.
void assign(std::span<const double> vector, Structure& out);

/// Σ weights · structures: a convex combination where the weights sum to one, else a conic one.
struct Mixture {
  std::vector<Structure> structures;
  std::vector<double> weights;

  std::size_t size() const { return weights.size(); }
};

/// The dense vector of a mixture.
void write(const Mixture& mixture, std::span<double> out);

}  // namespace fenchel
