// SPDX-License-Identifier: Apache-2.0
// The dual variables and parameters of a group of outputs: all of them, or a few of a separable Ω.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/random.hpp"
#include "fenchel/core/state.hpp"
#include "training/problems/linear_rows.hpp"
#include "training/solvers/dual_round.hpp"
#include "training/solvers/dual_row.hpp"
#include "training/solvers/dual_variables.hpp"

namespace fenchel {

/// What all groups of outputs share.
template <Real T>
struct DualSetup {
  explicit DualSetup(const LinearProblem<T>& given, const Penalty& g)
      : problem(given), penalty(g), rows(given), losses(given), dual(losses.row()) {
    const std::size_t n = rows.size();
    sigma.resize(n);
    center_square = squared_norm(given.center);
    if (!given.center.empty()) center_dot.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      double norm = rows.squared_norm(i);
      if (!given.center.empty()) {
        center_dot[i] = rows.dot(i, given.center);
        norm = std::max(norm - 2 * center_dot[i] + center_square, 0.0);
      }
      sigma[i] = losses.weight(i) * norm / g.l2;
    }
  }
  DualSetup(const DualSetup&) = delete;
  DualSetup& operator=(const DualSetup&) = delete;

  LinearProblem<T> problem;
  Penalty penalty;
  LinearRows<T> rows;
  LinearLosses<T> losses;
  DualRow dual;
  std::vector<double> sigma;       // w_i ‖x_i − center‖² / l2
  std::vector<double> center_dot;  // ⟨center, x_i⟩
  double center_square = 0;        // ‖center‖²
};

/// Sums over the examples.
struct DualSums {
  double loss = 0;
  double gap = 0;
};

template <Real T>
class DualPart {
 public:
  DualPart(const DualSetup<T>& setup, std::size_t first, std::size_t width);

  /// μ_i = y_i: V = 0. Examples without features take their optimum at once.
  void start();
  /// μ_i = ŷ_Ω(θ_i) at the parameters `w` (rows of `width` entries).
  void start_at(std::span<const double> w);

  void run(const DualRound& round);
  /// Whether the dual is quadratic, so that climb_faces() can help.
  bool quadratic() const { return projects_ && plain_; }
  /// For rounds after which the gap is hardly smaller, as updates undo each other: see dual_face.cpp. Ends
  /// soon after it has cost as much as `budget` updates of examples. Returns by how much the dual objective
  /// has risen.
  double climb_faces(std::size_t budget);
  /// What run() and climb_faces() have cost so far, in updates of examples.
  std::size_t visits() const { return visits_; }
  /// At W, which goes into `w`; keeps what each example contributes to the gap.
  DualSums evaluate(std::span<double> w, int threads);
  /// The next round visits the examples that contribute more than `threshold`.
  void choose(double threshold);

  /// V and the sums for the centre.
  struct Sums {
    std::vector<double> v, shift, shift_dot;
  };
  /// Makes them anew from the dual variables; returns what updates had left.
  Sums renew();
  void put_back(Sums sums);

  /// w_i (μ_i − y_i).
  void dual_gradient(std::size_t i, std::span<double> out) const;

  std::size_t first() const { return first_; }
  std::size_t width() const { return width_; }

  /// Where parts of the state follow from others, they must fit.
  void visit_state(StateArchive& archive);

 private:
  // V and the sums for the centre, as they follow from the dual variables.
  double add_all();
  // A row that updates can move: it has weight and features.
  bool moves(std::size_t i) const { return setup_.sigma[i] > 0; }
  // ⟨W, x_i⟩ into `u`, and θ_i + c_i.
  void linear_scores(std::size_t i, std::span<double> u, std::span<double> row) const;
  void scores(std::size_t i, std::span<double> u, std::span<double> row, Workspace& scratch) const;
  // Both return (an estimate of) how far μ_i was from its optimum.
  double update_dense(std::size_t i, Workspace& scratch);
  double update_projection(std::size_t i, double negligible, Workspace& scratch);
  // A point of the product of simplices, or a direction within its face: of rows with two entries or more.
  struct Face;
  Face face_of_mu();
  std::vector<double> slope_on(const Face& face);
  std::vector<double> curvature_on(const Face& face, std::span<const double> direction);
  std::vector<double> newton_step(const Face& face, std::span<const double> slope, std::size_t limit);
  double gain(const Face& face, std::span<const double> slope, std::span<const double> step);
  double climb(const Face& face, std::size_t limit, bool& left);
  void move(const Face& face, std::span<const double> step);
  DualSums evaluate_block(std::size_t begin, std::size_t end);
  // V += scale · x_i δᵀ.
  void add_dense(std::size_t i, std::span<const double> delta);
  void add_sparse(std::size_t i, std::span<const std::int32_t> indices, std::span<const double> delta);
  void write_parameters(std::span<double> w) const;

  const DualSetup<T>& setup_;
  std::size_t first_;
  std::size_t width_;
  bool plain_;        // G is l2 alone: V is kept divided by l2, which makes it W
  double scale_;      // 1/l2 then, else 1
  double convexity_;  // of Ω; 0 if not known
  bool projects_;     // Ω is a quadratic on the simplex, whose updates are projections
  DualVariables mu_;
  std::vector<double> v_;              // rows of `width` entries, without the part of the centre
  std::vector<double> shift_;          // Σ δ, and
  std::vector<double> shift_dot_;      // Σ ⟨center, x⟩ δ: V is v − center shiftᵀ
  std::vector<std::uint32_t> active_;  // what choose() says
  std::vector<double> gaps_;
  std::size_t visits_ = 0;
  // Scratch of the updates.
  std::vector<std::uint32_t> order_;
  std::vector<double> u_, row_, old_, new_;
  SparseRow projected_, delta_;
};

}  // namespace fenchel
