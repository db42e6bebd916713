// SPDX-License-Identifier: Apache-2.0
#include "training/solvers/dual_part.hpp"

#include <utility>

#include "fenchel/core/numeric.hpp"
#include "losses/dual_bound.hpp"

namespace fenchel {
namespace {

// Rows in one block of an evaluation: enough work for a thread, and many blocks for many threads.
constexpr std::size_t evaluation_block = 256;

}  // namespace

template <Real T>
DualPart<T>::DualPart(const DualSetup<T>& setup, std::size_t first, std::size_t width)
    : setup_(setup),
      first_(first),
      width_(width),
      plain_(setup.penalty.smooth()),
      scale_(plain_ ? 1 / setup.penalty.l2 : 1),
      convexity_(setup.problem.loss.omega().strong_convexity().value_or(0)),
      projects_(setup.dual.ridge().has_value()),
      mu_(setup.rows.size(), width, !setup.problem.loss.omega().refined_traits().sparse),
      v_(setup.rows.features() * width),
      gaps_(setup.rows.size()),
      u_(width),
      row_(width),
      old_(width),
      new_(width) {
  if (!setup.problem.center.empty()) {
    shift_.resize(width);
    shift_dot_.resize(width);
  }
}

template <Real T>
void DualPart<T>::start() {
  Workspace& scratch = thread_workspace();
  std::ranges::fill(v_, 0.0);
  std::ranges::fill(shift_, 0.0);
  std::ranges::fill(shift_dot_, 0.0);
  active_.clear();
  for (std::size_t i = 0; i < setup_.rows.size(); ++i) {
    setup_.losses.write_target(i, new_, first_);
    if (moves(i)) {
      active_.push_back(static_cast<std::uint32_t>(i));
    } else if (setup_.losses.weight(i) > 0) {
      std::ranges::fill(u_, 0.0);
      setup_.losses.predict(i, u_, new_, scratch, first_);
    }
    mu_.assign(i, new_);
  }
}

template <Real T>
void DualPart<T>::start_at(std::span<const double> w) {
  Workspace& scratch = thread_workspace();
  std::vector<double> offset(width_, 0.0);
  for (std::size_t j = 0; j < setup_.problem.center.size(); ++j) {
    add_scaled(-setup_.problem.center[j], {w.data() + j * width_, width_}, offset.data());
  }
  for (const std::uint32_t i : active_) {
    setup_.rows.scores(i, w.data(), u_);
    add_scaled(1, offset, u_.data());
    setup_.losses.predict(i, u_, new_, scratch, first_);
    mu_.assign(i, new_);
    setup_.losses.write_target(i, old_, first_);
    const double factor = setup_.losses.weight(i) * scale_;
    for (std::size_t k = 0; k < width_; ++k) new_[k] = factor * (old_[k] - new_[k]);
    add_dense(i, new_);
  }
}

template <Real T>
void DualPart<T>::linear_scores(std::size_t i, std::span<double> u, std::span<double> row) const {
  if (plain_) {
    setup_.rows.scores(i, v_.data(), u);
  } else {
    std::ranges::fill(u, 0.0);
    setup_.rows.visit(i, [&](std::size_t j, double x) {
      setup_.penalty.conjugate_gradient(std::span(v_).subspan(j * width_, width_), width_, row);
      add_scaled(x, row, u.data());
    });
  }
  if (!shift_.empty()) {
    const double factor = setup_.center_square - setup_.center_dot[i];
    for (std::size_t k = 0; k < width_; ++k) u[k] += factor * shift_[k] - shift_dot_[k];
  }
}

template <Real T>
void DualPart<T>::scores(std::size_t i, std::span<double> u, std::span<double> row,
                         Workspace& scratch) const {
  linear_scores(i, u, row);
  setup_.losses.add_cost(i, u, scratch, first_);
}

template <Real T>
void DualPart<T>::add_dense(std::size_t i, std::span<const double> delta) {
  setup_.rows.add(i, delta, v_.data());
  if (shift_.empty()) return;
  add_scaled(1, delta, shift_.data());
  add_scaled(setup_.center_dot[i], delta, shift_dot_.data());
}

template <Real T>
void DualPart<T>::add_sparse(std::size_t i, std::span<const std::int32_t> indices,
                             std::span<const double> delta) {
  setup_.rows.visit(i, [&](std::size_t j, double x) {
    double* row = v_.data() + j * width_;
    for (std::size_t e = 0; e < delta.size(); ++e) row[indices[e]] += x * delta[e];
  });
  if (shift_.empty()) return;
  for (std::size_t e = 0; e < delta.size(); ++e) {
    const auto k = static_cast<std::size_t>(indices[e]);
    shift_[k] += delta[e];
    shift_dot_[k] += setup_.center_dot[i] * delta[e];
  }
}

template <Real T>
double DualPart<T>::update_dense(std::size_t i, Workspace& scratch) {
  const double sigma = setup_.sigma[i];
  scores(i, u_, row_, scratch);
  mu_.write(i, old_);
  for (std::size_t k = 0; k < width_; ++k) u_[k] += sigma * old_[k];
  setup_.dual.update(u_, sigma, new_, scratch);
  mu_.assign(i, new_);
  const double factor = setup_.losses.weight(i) * scale_;
  double squares = 0;
  for (std::size_t k = 0; k < width_; ++k) {
    const double change = old_[k] - new_[k];
    squares += change * change;
    old_[k] = factor * change;
  }
  if (squares > 0) add_dense(i, old_);
  // Exact where Ω is quadratic and its constraints do not bind: u = γŷ, and μ moved by γ(ŷ − μ)/(γ + σ).
  if (convexity_ > 0) return (convexity_ + sigma) * (convexity_ + sigma) / (2 * convexity_) * squares;
  return sigma * std::sqrt(squares);
}

template <Real T>
double DualPart<T>::update_projection(std::size_t i, double negligible, Workspace& scratch) {
  const double sigma = setup_.sigma[i];
  const double ridge = *setup_.dual.ridge();
  scores(i, u_, row_, scratch);
  double distance = 0;
  if (ridge == 0) {
    const double top = kernels::largest(u_);
    mu_.visit(i, [&](std::size_t k, double value) { distance += value * (top - u_[k]); });
    if (distance <= negligible) return distance;
  }
  delta_.indices.clear();
  mu_.visit(i, [&](std::size_t k, double value) {
    u_[k] += sigma * value;
    old_[k] = value;
    delta_.indices.push_back(static_cast<std::int32_t>(k));
  });
  setup_.dual.project(u_, sigma, projected_);
  for (std::size_t e = 0; e < projected_.indices.size(); ++e) {
    const auto k = static_cast<std::size_t>(projected_.indices[e]);
    if (old_[k] == 0) delta_.indices.push_back(projected_.indices[e]);
    old_[k] -= projected_.values[e];
  }
  // old_ is all 0 between updates.
  const double factor = setup_.losses.weight(i) * scale_;
  delta_.values.clear();
  double squares = 0;
  for (const std::int32_t index : delta_.indices) {
    const double change = old_[static_cast<std::size_t>(index)];
    old_[static_cast<std::size_t>(index)] = 0;
    squares += change * change;
    delta_.values.push_back(factor * change);
  }
  if (ridge > 0) distance = (ridge + sigma) * (ridge + sigma) / (2 * ridge) * squares;
  if (squares == 0) return distance;
  mu_.assign(i, projected_.indices, projected_.values);
  add_sparse(i, delta_.indices, delta_.values);
  return distance;
}

template <Real T>
void DualPart<T>::run(const DualRound& round) {
  Workspace& scratch = thread_workspace();
  if (projects_) std::ranges::fill(old_, 0.0);
  order_ = active_;
  run_round(round, order_, [&](std::size_t i) {
    ++visits_;
    const double weight = setup_.losses.weight(i);
    return weight *
           (projects_ ? update_projection(i, round.negligible / weight, scratch) : update_dense(i, scratch));
  });
}

template <Real T>
DualSums DualPart<T>::evaluate_block(std::size_t begin, std::size_t end) {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const auto u = scratch.take<double>(width_);
  const auto row = scratch.take<double>(width_);
  const auto mu = scratch.take<double>(width_);
  SparseRow projected;
  DualSums sum;
  for (std::size_t i = begin; i < end; ++i) {
    const double weight = setup_.losses.weight(i);
    gaps_[i] = 0;
    if (weight == 0) continue;
    scores(i, u, row, scratch);
    RowLosses losses;
    if (projects_) {
      losses = setup_.losses.losses(i, u, setup_.dual.seen(u, projected),
                                    [&](const auto& visit) { mu_.visit(i, visit); });
    } else {
      mu_.write(i, mu);
      losses = setup_.losses.losses(i, u, mu, scratch, first_);
    }
    gaps_[i] = weight * losses.gap;
    sum.loss += weight * losses.primal;
    sum.gap += gaps_[i];
  }
  return sum;
}

template <Real T>
DualSums DualPart<T>::evaluate(std::span<double> w, int threads) {
  write_parameters(w);
  const std::size_t n = setup_.rows.size();
  std::vector<DualSums> sums((n + evaluation_block - 1) / evaluation_block);
  for_each_block(n, evaluation_block, threads, [&](std::size_t begin, std::size_t end) {
    sums[begin / evaluation_block] = evaluate_block(begin, end);
  });
  DualSums total;
  for (const DualSums& sum : sums) {
    total.loss += sum.loss;
    total.gap += sum.gap;
  }
  return total;
}

template <Real T>
void DualPart<T>::choose(double threshold) {
  active_.clear();
  for (std::size_t i = 0; i < gaps_.size(); ++i) {
    if (moves(i) && gaps_[i] > threshold) active_.push_back(static_cast<std::uint32_t>(i));
  }
}

template <Real T>
void DualPart<T>::write_parameters(std::span<double> w) const {
  if (plain_) {
    std::ranges::copy(v_, w.begin());
  } else {
    setup_.penalty.conjugate_gradient(v_, width_, w);
  }
  for (std::size_t j = 0; j < setup_.problem.center.size(); ++j) {
    add_scaled(-setup_.problem.center[j], shift_, w.data() + j * width_);
  }
}

// Returns the size of the numbers that are added up.
template <Real T>
double DualPart<T>::add_all() {
  double largest = 0;
  for (auto* sums : {&v_, &shift_, &shift_dot_}) std::ranges::fill(*sums, 0.0);
  for (std::size_t i = 0; i < setup_.rows.size(); ++i) {
    if (!moves(i)) continue;
    mu_.write(i, new_);
    setup_.problem.y.write(i, std::span(old_), first_);
    const double factor = setup_.losses.weight(i) * scale_;
    for (std::size_t k = 0; k < width_; ++k) new_[k] = factor * (old_[k] - new_[k]);
    add_dense(i, new_);
    largest = std::max(largest, max_abs(new_) * std::sqrt(setup_.rows.squared_norm(i)));
  }
  return std::max(largest, max_abs(v_));
}

template <Real T>
typename DualPart<T>::Sums DualPart<T>::renew() {
  Sums left{v_, shift_, shift_dot_};
  add_all();
  return left;
}

template <Real T>
void DualPart<T>::put_back(Sums sums) {
  v_ = std::move(sums.v);
  shift_ = std::move(sums.shift);
  shift_dot_ = std::move(sums.shift_dot);
}

template <Real T>
void DualPart<T>::dual_gradient(std::size_t i, std::span<double> out) const {
  std::vector<double> y(width_);
  setup_.problem.y.write(i, std::span(y), first_);
  mu_.write(i, out);
  for (std::size_t k = 0; k < width_; ++k) out[k] = setup_.losses.weight(i) * (out[k] - y[k]);
}

template <Real T>
void DualPart<T>::visit_state(StateArchive& archive) {
  const DualVariables fresh = mu_;
  archive("mu", mu_);
  archive("v", v_);
  archive("shift", shift_);
  archive("shift_dot", shift_dot_);
  if (!archive.reading()) return;
  for (std::size_t i = 0; i < setup_.rows.size(); ++i) {
    mu_.write(i, old_);
    archive.check("mu", in_domain(setup_.problem.loss.omega(), old_, thread_workspace()));
    if (moves(i)) continue;
    fresh.write(i, new_);
    archive.check_data("mu", old_, new_, 1);
  }
  Sums read{v_, shift_, shift_dot_};
  const double scale = add_all();
  archive.check_data("v", read.v, v_, scale);
  archive.check_data("shift", read.shift, shift_, std::max(scale, max_abs(shift_)));
  archive.check_data("shift_dot", read.shift_dot, shift_dot_, std::max(scale, max_abs(shift_dot_)));
  put_back(std::move(read));
}

template class DualPart<float>;
template class DualPart<double>;

}  // namespace fenchel
