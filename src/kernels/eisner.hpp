// SPDX-License-Identifier: Apache-2.0
// Eisner's recursions over the spans of a sentence: what the projective trees rest on (paper §7.3). Positions
// are 0 … n: the root, then the words. For positions s < t
//   join(s,t)     = ⊕_{r=s…t−1} right(s,r) ⊗ left(r+1,t)       two complete halves that face each other
//   arc(s→t)      = weight(s→t) ⊗ join(s,t),   arc(t→s) = weight(t→s) ⊗ join(s,t)
//   right(s,t)    = ⊕_{r=s+1…t} arc(s→r) ⊗ right(r,t)          everything s governs up to t
//   left(s,t)     = ⊕_{r=s…t−1} left(s,r) ⊗ arc(t→r)           everything t governs down to s
// and right(0,n) is the sum over all trees, each of which has exactly one derivation. With a single root only
// the split r = 0 is left in join(0,t). The same code runs in three algebras: (max, +), (+, ·) and, with
// scores of any spread, (log-sum-exp, +).
//
// Cost: n³/2 terms per pass. The instruction set is chosen when the program runs.
#pragma once

#include <cstddef>

namespace fenchel::kernels {

enum class EisnerAlgebra { max, real, log };

/// Square tables over positions, rows `stride` apart. Both halves of `right` and `left` hold the same value,
/// at (s, t) and at (t, s), so that every sum runs along two rows.
struct EisnerChart {
  double* right = nullptr;
  double* left = nullptr;
  double* arcs = nullptr;   ///< (h, m): arc(h→m)
  double* joins = nullptr;  ///< (s, t) for s < t: join(s, t)
};

/// A sentence: its weights (scores in the algebras max and log) and the shape of its tables.
struct EisnerProblem {
  std::size_t positions = 0;  ///< n + 1
  std::size_t stride = 0;     ///< eisner_stride(positions)
  bool single_root = false;
  /// (h, m): the weight of h→m; 0 (or −inf) into position 0 and on the diagonal.
  const double* weights = nullptr;
};

/// The length of a row: vectors may run over its end.
inline constexpr std::size_t eisner_stride(std::size_t positions) { return (positions + 3) / 4 * 4 + 4; }

/// x ← exp x for x ≤ 0; results below the normal range become 0.
void eisner_exponentials(double* values, std::size_t count);

/// Fills the tables; the sum over all trees is chart.right[n].
void eisner_inside(EisnerAlgebra algebra, const EisnerProblem& problem, const EisnerChart& chart);

/// Given the tables (real or log), P(h→m) at (h, m) of adjoint.arcs.
void eisner_marginals(EisnerAlgebra algebra, const EisnerProblem& problem, const EisnerChart& chart,
                      const EisnerChart& adjoint);

/// The derivatives of the tables in a direction, and the derivatives of log Z with respect to the tables with
/// theirs.
struct EisnerTangents {
  EisnerChart tangent;
  EisnerChart adjoint;
  EisnerChart adjoint_tangent;
};

/// Given the tables (real or log), the derivative of P(h→m) in the direction `v` of the scores (laid out as
/// the weights) at (h, m) of adjoint_tangent.arcs.
void eisner_covariance(EisnerAlgebra algebra, const EisnerProblem& problem, const EisnerChart& chart,
                       const EisnerTangents& tangents, const double* v);

/// Sentences of one length side by side in the lanes of a vector, in plain numbers: entry (h, m) of a table
/// holds one number for each of them, so that no sum is too short for vectors.
struct EisnerLanes {
  static constexpr std::size_t count = 4;  ///< sentences

  std::size_t positions = 0;  ///< n + 1
  std::size_t stride = 0;     ///< eisner_lane_stride(positions); tables are [positions, stride, count]
  bool single_root = false;
  double* weights = nullptr;   ///< as in EisnerProblem; P(h→m) in the end
  double* complete = nullptr;  ///< right(s, t) at (s, t), left(s, t) at (t, s)
  double* arcs = nullptr;
  double* complete_adjoint = nullptr;  ///< derivatives of log Z
  double* joins_adjoint = nullptr;
};

/// An odd number: columns are read too, and entries a power of two apart would share few lines of the cache.
inline constexpr std::size_t eisner_lane_stride(std::size_t positions) { return positions | 1; }

/// Fills `complete` and `arcs`; the sums over all trees are at (0, n) of `complete`.
void eisner_inside(const EisnerLanes& lanes);
/// Given those, turns the weights into marginals. A lane whose sum is 0 gets meaningless numbers.
void eisner_marginals(const EisnerLanes& lanes);

}  // namespace fenchel::kernels
