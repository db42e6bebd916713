// SPDX-License-Identifier: Apache-2.0
// Polytopes given by the list of their vertices, for tests of the solvers over a MAP oracle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "fenchel/core/numeric.hpp"
#include "fenchel/core/structure.hpp"
#include "support.hpp"

namespace fenchel::test {

/// conv of a list of points; the oracle scans it. Counts its calls.
struct Enumerated {
  std::vector<Vector> vertices;
  mutable int calls = 0;

  std::size_t dimension() const { return vertices[0].size(); }

  /// ⟨θ, y⟩, −inf where y has a masked entry.
  static double score(const Vector& y, std::span<const double> theta) { return dot_masked(theta, y); }

  double operator()(std::span<const double> theta, Structure& best) const {
    ++calls;
    double top = mask;
    for (const Vector& y : vertices) {
      const double value = score(y, theta);
      if (!(value > top)) continue;
      top = value;
      assign(y, best);
    }
    return top;
  }
};

inline Enumerated simplex(std::size_t d) {
  Enumerated set;
  for (std::size_t j = 0; j < d; ++j) set.vertices.push_back(vertex(d, j));
  return set;
}

inline Enumerated cube(std::size_t d) {
  Enumerated set;
  for (std::size_t code = 0; code < (std::size_t{1} << d); ++code) {
    Vector y(d);
    for (std::size_t j = 0; j < d; ++j) y[j] = static_cast<double>((code >> j) & 1);
    set.vertices.push_back(y);
  }
  return set;
}

/// Permutation matrices.
inline Enumerated birkhoff(std::size_t n) {
  Enumerated set;
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  do {
    Vector y(n * n);
    for (std::size_t i = 0; i < n; ++i) y[i * n + order[i]] = 1;
    set.vertices.push_back(y);
  } while (std::ranges::next_permutation(order).found);
  return set;
}

/// Permutations of a vector.
inline Enumerated permutahedron(Vector w) {
  Enumerated set;
  std::ranges::sort(w);
  do {
    set.vertices.push_back(w);
  } while (std::ranges::next_permutation(w).found);
  return set;
}

/// Sequences of n steps in m states, entry (t, i, j): in state i at step t, from state j.
inline Enumerated sequences(std::size_t n, std::size_t m) {
  Enumerated set;
  std::vector<std::size_t> state(n);
  for (;;) {
    Vector y(n * m * m);
    for (std::size_t t = 0; t < n; ++t) y[(t * m + state[t]) * m + (t == 0 ? 0 : state[t - 1])] = 1;
    set.vertices.push_back(y);
    std::size_t t = 0;
    while (t < n && ++state[t] == m) state[t++] = 0;
    if (t == n) return set;
  }
}

/// Monotone paths through an m × n grid by →, ↓, ↘: structures of different sizes.
inline Enumerated alignments(std::size_t m, std::size_t n) {
  Enumerated set;
  std::vector<std::pair<std::size_t, Vector>> open{{0, vertex(m * n, 0)}};
  while (!open.empty()) {
    const auto [cell, path] = open.back();
    open.pop_back();
    const std::size_t i = cell / n, j = cell % n;
    if (cell == m * n - 1) set.vertices.push_back(path);
    const auto extend = [&open, &y = path](std::size_t next) {
      Vector longer = y;
      longer[next] = 1;
      open.emplace_back(next, longer);
    };
    if (i + 1 < m) extend(cell + n);
    if (j + 1 < n) extend(cell + 1);
    if (i + 1 < m && j + 1 < n) extend(cell + n + 1);
  }
  return set;
}

/// Random points; with `rank` below d they lie in an affine subspace, and some are listed twice.
inline Enumerated cloud(Random& random, std::size_t count, std::size_t d, std::size_t rank) {
  Enumerated set;
  const Vector base = normal_vector(random, rank * d);
  const Vector offset = normal_vector(random, d);
  for (std::size_t i = 0; i < count; ++i) {
    Vector y = offset;
    for (std::size_t r = 0; r < rank; ++r) {
      const double t = random.normal();
      for (std::size_t j = 0; j < d; ++j) y[j] += t * base[r * d + j];
    }
    set.vertices.push_back(y);
    if (i % 3 == 0) set.vertices.push_back(y);
  }
  return set;
}

}  // namespace fenchel::test
