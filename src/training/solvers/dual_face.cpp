// SPDX-License-Identifier: Apache-2.0
// Where Ω is (r/2)‖μ‖² on the simplex (r = 0 for hinge losses) and G is l2, the dual is a quadratic function:
//   −Σ_i w_i ((r/2)‖μ_i‖² − ⟨c_i, μ_i⟩) − ‖V‖²/(2 l2).
// Updates of single examples soon find the face of the product of simplices that the optimum lies on, and
// then zigzag on it where examples are alike. There conjugate gradients go on (gradient projection with
// conjugate gradients: Moré and Toraldo 1991): they find the maximum over the affine hull of the face, and
// the step to it ends where it leaves the simplices, or is projected on them if that gains more.
#include <numeric>

#include "fenchel/core/numeric.hpp"
#include "training/solvers/dual_part.hpp"

namespace fenchel {
namespace {

constexpr int most_faces = 8;            // in one round
constexpr int most_gradients = 64;       // conjugate ones, on one face
constexpr double smallest_share = 1e-8;  // of the squared slope, at which a face is done
constexpr double flat = 1e-14;           // of the largest curvature: less is rounding
constexpr int projected_trials = 4;      // steps 1, 1/2, … whose projections are looked at

void center(std::span<double> row) {
  const double mean = std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(row.size());
  for (double& entry : row) entry -= mean;
}

}  // namespace

template <Real T>
struct DualPart<T>::Face {
  std::vector<std::uint32_t> rows;
  std::vector<std::size_t> starts = {0};  // of each row's entries, and the end
  std::vector<std::int32_t> indices;
  std::vector<double> mu;

  std::span<const std::int32_t> support(std::size_t r) const {
    return std::span(indices).subspan(starts[r], starts[r + 1] - starts[r]);
  }
  template <class Entries>
  auto row(std::size_t r, Entries& entries) const {
    return std::span(entries).subspan(starts[r], starts[r + 1] - starts[r]);
  }
};

template <Real T>
auto DualPart<T>::face_of_mu() -> Face {
  Face face;
  for (std::size_t i = 0; i < setup_.rows.size(); ++i) {
    if (!moves(i)) continue;
    const std::size_t begin = face.mu.size();
    mu_.visit(i, [&](std::size_t k, double value) {
      if (value <= 0) return;
      face.indices.push_back(static_cast<std::int32_t>(k));
      face.mu.push_back(value);
    });
    if (face.mu.size() < begin + 2) {
      face.indices.resize(begin);
      face.mu.resize(begin);
      continue;
    }
    face.rows.push_back(static_cast<std::uint32_t>(i));
    face.starts.push_back(face.mu.size());
  }
  return face;
}

// The gradient of the dual objective, within the face: entries of a row sum to 0.
template <Real T>
std::vector<double> DualPart<T>::slope_on(const Face& face) {
  visits_ += face.rows.size();
  const double ridge = *setup_.dual.ridge();
  std::vector<double> slope(face.mu.size());
  for (std::size_t r = 0; r < face.rows.size(); ++r) {
    const auto support = face.support(r);
    const auto out = face.row(r, slope);
    const auto mu = face.row(r, face.mu);
    scores(face.rows[r], u_, row_, thread_workspace());
    for (std::size_t e = 0; e < out.size(); ++e) {
      out[e] = u_[static_cast<std::size_t>(support[e])] - ridge * mu[e];
    }
    center(out);
    for (double& entry : out) entry *= setup_.losses.weight(face.rows[r]);
  }
  return slope;
}

// −(the Hessian of the dual objective) times a direction, within the face. The sums over the examples are
// those of the direction meanwhile.
template <Real T>
std::vector<double> DualPart<T>::curvature_on(const Face& face, std::span<const double> direction) {
  visits_ += face.rows.size();
  std::vector<double> v(v_.size()), shift(shift_.size()), shift_dot(shift_dot_.size());
  v.swap(v_), shift.swap(shift_), shift_dot.swap(shift_dot_);
  std::vector<double> product(direction.begin(), direction.end());
  for (std::size_t r = 0; r < face.rows.size(); ++r) {
    const auto scaled = face.row(r, product);
    for (double& entry : scaled) entry *= setup_.losses.weight(face.rows[r]) * scale_;
    add_sparse(face.rows[r], face.support(r), scaled);
  }
  const double ridge = *setup_.dual.ridge();
  for (std::size_t r = 0; r < face.rows.size(); ++r) {
    const auto support = face.support(r);
    const auto out = face.row(r, product);
    const auto step = face.row(r, direction);
    linear_scores(face.rows[r], u_, row_);
    for (std::size_t e = 0; e < out.size(); ++e) out[e] = u_[static_cast<std::size_t>(support[e])];
    center(out);
    const double weight = setup_.losses.weight(face.rows[r]);
    for (std::size_t e = 0; e < out.size(); ++e) out[e] = weight * (out[e] + ridge * step[e]);
  }
  v.swap(v_), shift.swap(shift_), shift_dot.swap(shift_dot_);
  return product;
}

// Towards the maximum over the affine hull of the face; where the dual is flat, along its slope. Conjugate
// gradients may end anywhere: once visits() has reached `limit` they do.
template <Real T>
std::vector<double> DualPart<T>::newton_step(const Face& face, std::span<const double> slope,
                                             std::size_t limit) {
  const double ridge = *setup_.dual.ridge();
  std::vector<double> inverse(slope.size());  // of the curvature of a row alone
  for (std::size_t r = 0; r < face.rows.size(); ++r) {
    const std::uint32_t i = face.rows[r];
    std::ranges::fill(face.row(r, inverse), 1 / (setup_.losses.weight(i) * (ridge + setup_.sigma[i])));
  }
  std::vector<double> step(slope.size()), residual(slope.begin(), slope.end()), z(slope.size());
  // What is left of a residual is rounding in the end, whose entries need not sum to 0.
  const auto precondition = [&] {
    for (std::size_t r = 0; r < face.rows.size(); ++r) center(face.row(r, residual));
    for (std::size_t e = 0; e < z.size(); ++e) z[e] = inverse[e] * residual[e];
    return dot(residual, z);
  };
  double size = precondition();
  const double enough = smallest_share * size;
  std::vector<double> direction = z;
  for (int count = 0; count < most_gradients && size > enough && (count == 0 || visits_ < limit); ++count) {
    const std::vector<double> product = curvature_on(face, direction);
    const double curvature = dot(direction, product);
    double length = 0;
    for (std::size_t e = 0; e < z.size(); ++e) length += direction[e] * direction[e] / inverse[e];
    if (!(curvature > flat * length)) return count == 0 ? direction : step;
    const double along = size / curvature;
    for (std::size_t e = 0; e < z.size(); ++e) {
      step[e] += along * direction[e];
      residual[e] -= along * product[e];
    }
    const double before = size;
    size = precondition();
    for (std::size_t e = 0; e < z.size(); ++e) direction[e] = z[e] + size / before * direction[e];
  }
  return step;
}

// By how much a step raises the dual objective.
template <Real T>
double DualPart<T>::gain(const Face& face, std::span<const double> slope, std::span<const double> step) {
  return dot(slope, step) - 0.5 * dot(step, curvature_on(face, step));
}

// Replaces μ by μ + step, whose negative entries are rounding, as is what their sum lacks to 1.
template <Real T>
void DualPart<T>::move(const Face& face, std::span<const double> step) {
  for (std::size_t r = 0; r < face.rows.size(); ++r) {
    const std::uint32_t i = face.rows[r];
    const auto support = face.support(r);
    const auto mu = face.row(r, face.mu);
    const auto by = face.row(r, step);
    const double factor = setup_.losses.weight(i) * scale_;
    projected_.indices.clear();
    projected_.values.clear();
    delta_.values.clear();
    double sum = 0;
    for (std::size_t e = 0; e < mu.size(); ++e) sum += std::max(mu[e] + by[e], 0.0);
    for (std::size_t e = 0; e < mu.size(); ++e) {
      const double value = std::max(mu[e] + by[e], 0.0) / sum;
      delta_.values.push_back(factor * (mu[e] - value));
      if (value == 0) continue;
      projected_.indices.push_back(support[e]);
      projected_.values.push_back(value);
    }
    mu_.assign(i, projected_.indices, projected_.values);
    add_sparse(i, support, delta_.values);
  }
}

// A step on one face, and what it gains; `left` says whether it ended at another face.
template <Real T>
double DualPart<T>::climb(const Face& face, std::size_t limit, bool& left) {
  const std::vector<double> slope = slope_on(face);
  std::vector<double> step = newton_step(face, slope, limit);
  double room = 1;
  for (std::size_t e = 0; e < step.size(); ++e) {
    if (face.mu[e] + step[e] < 0) room = std::min(room, -face.mu[e] / step[e]);
  }
  std::vector<double> best = step;
  for (double& entry : best) entry *= room;
  double most = gain(face, slope, best);
  double length = 1;
  for (int trial = 0; room < 1 && trial < projected_trials; ++trial, length /= 2) {
    std::vector<double> projected(step.size());
    for (std::size_t r = 0; r < face.rows.size(); ++r) {
      const auto out = face.row(r, projected);
      const auto mu = face.row(r, face.mu);
      const auto by = face.row(r, step);
      for (std::size_t e = 0; e < out.size(); ++e) out[e] = mu[e] + length * by[e];
      setup_.dual.project(out, 1 - *setup_.dual.ridge(), projected_);
      for (std::size_t e = 0; e < out.size(); ++e) out[e] = -mu[e];
      for (std::size_t e = 0; e < projected_.indices.size(); ++e) {
        out[static_cast<std::size_t>(projected_.indices[e])] += projected_.values[e];
      }
    }
    const double found = gain(face, slope, projected);
    if (!(found > most)) continue;
    best = std::move(projected);
    most = found;
    break;
  }
  left = room < 1;
  if (!(most > 0)) return 0;
  move(face, best);
  return most;
}

template <Real T>
double DualPart<T>::climb_faces(std::size_t budget) {
  const std::size_t limit = visits_ + budget;
  double gained = 0;
  bool left = true;
  for (int count = 0; left && count < most_faces && visits_ < limit; ++count) {
    const Face face = face_of_mu();
    if (face.rows.empty()) break;
    const double gain = climb(face, limit, left);
    if (gain == 0) break;
    gained += gain;
  }
  return gained;
}

template double DualPart<float>::climb_faces(std::size_t);
template double DualPart<double>::climb_faces(std::size_t);

}  // namespace fenchel
